/* A 10 Mbit/s link with CoDel in front of it, driven with packets and a clock of our own.
 *
 *     cc bottleneck.c -ldropcurve -o bottleneck && ./bottleneck */
#include "dropcurve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what) {
    fprintf(stderr, "bottleneck: %s: %s\n", what, dropcurve_last_error());
    exit(1);
}

int main(void) {
    dropcurve_setting link = {.rate_bps = 10000000, .delay_ns = 20000000, .packet_bytes = 1500};
    dropcurve_queue *queue = dropcurve_queue_new("kind = 'codel'\nlimit = '100 pkts'", &link, 1, "queue/example");
    if (queue == NULL) fail("codel");

    const uint64_t transmission = 1200000; /* 1500 bytes at 10 Mbit/s */
    uint64_t sent = 0, dropped = 0, offered = 0;
    for (uint64_t slot = 0; slot < 10000; slot++) {
        uint64_t now = slot * transmission;
        /* Five packets in the time of four. */
        for (int i = 0; i < (slot % 4 == 0 ? 2 : 1); i++) {
            dropcurve_packet packet = {.user = NULL, .flow = offered % 8, .size = 1500, .ecn = DROPCURVE_NOT_ECT};
            if (dropcurve_queue_enqueue(queue, now, &packet) != 0) fail("enqueue");
            offered++;
        }
        if (dropcurve_queue_next_timer(queue) <= now && dropcurve_queue_on_timer(queue, now) != 0) fail("timer");
        dropcurve_packet out;
        int got = dropcurve_queue_dequeue(queue, now, &out);
        if (got < 0) fail("dequeue");
        sent += (uint64_t)got;
        dropcurve_event event;
        while (dropcurve_queue_next_event(queue, &event) == 1) dropped += event.kind == DROPCURVE_DROPPED;
    }
    uint64_t queued = dropcurve_queue_length(queue);
    printf("offered %" PRIu64 ", sent %" PRIu64 ", dropped %" PRIu64 ", queued %" PRIu64 "\n", offered, sent, dropped,
           queued);
    dropcurve_queue_free(queue);
    return offered == sent + dropped + queued ? 0 : 1;
}
