// A discipline of dropcurve from Go: one packet through tail drop, one too many.
package main

/*
#cgo LDFLAGS: -ldropcurve
#include <stdlib.h>
#include "dropcurve.h"
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

func main() {
	parameters, stream := C.CString("kind = 'droptail'\nlimit = '1 pkts'"), C.CString("queue/go")
	defer C.free(unsafe.Pointer(parameters))
	defer C.free(unsafe.Pointer(stream))
	link := C.dropcurve_setting{rate_bps: 10000000, delay_ns: 0, packet_bytes: 1500}
	queue := C.dropcurve_queue_new(parameters, &link, 1, stream)
	if queue == nil {
		fmt.Fprintln(os.Stderr, C.GoString(C.dropcurve_last_error()))
		os.Exit(1)
	}
	defer C.dropcurve_queue_free(queue)
	for flow := 1; flow <= 2; flow++ {
		packet := C.dropcurve_packet{flow: C.uint64_t(flow), size: 1500}
		C.dropcurve_queue_enqueue(queue, C.uint64_t(flow), &packet)
	}
	var sent C.dropcurve_packet
	var event C.dropcurve_event
	got := C.dropcurve_queue_dequeue(queue, 3, &sent)
	ended := C.dropcurve_queue_next_event(queue, &event)
	fmt.Printf("%d %d %d %d\n", got, sent.flow, ended, event.packet.flow)
}
