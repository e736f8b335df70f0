/* libdropcurve: queue disciplines and whole simulations of dropcurve, for C, C++ and every language that calls C.
 *
 * Three parts:
 *   1. a discipline with the caller's packets and clock      dropcurve_queue_...
 *   2. whole simulations: a scenario's text in, JSON out     dropcurve_run, dropcurve_resolve
 *   3. the interface of disciplines in shared libraries      dropcurve_table and its structures
 *
 * Times are nanoseconds of the caller's clock, sizes bytes, rates bits per second. Texts are UTF-8 and end with a zero
 * byte. Functions that can fail return -1 or NULL and leave the reason to dropcurve_last_error(). A queue is used by one
 * thread at a time; different queues and runs are independent. The same calls give the same bits on every machine.
 *
 * Link with -ldropcurve. The interface changes only with the major version of dropcurve. */
#ifndef DROPCURVE_H
#define DROPCURVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A time that never comes. */
#define DROPCURVE_NEVER UINT64_MAX
/* Returned by a plug-in for no packet, in place of a number. */
#define DROPCURVE_NO_PACKET UINT32_MAX
/* The version of this interface, as dropcurve_interface() returns it. */
#define DROPCURVE_INTERFACE 1

/* The two ECN bits of the IP header (RFC 3168 section 5; RFC 9331 for ECT(1)). */
enum { DROPCURVE_NOT_ECT = 0, DROPCURVE_ECT1 = 1, DROPCURVE_ECT0 = 2, DROPCURVE_CE = 3 };

/* What happened to a packet, and why. */
enum { DROPCURVE_DROPPED = 0, DROPCURVE_MARKED = 1 };
enum {
    DROPCURVE_EARLY = 0,   /* as an early signal, by chance or by the schedule of a control law */
    DROPCURVE_FORCED = 1,  /* by rule, because the control law is at its end */
    DROPCURVE_OVERFLOW = 2 /* no room */
};

/* The version of dropcurve, such as "1.0.0". */
const char *dropcurve_version(void);
/* DROPCURVE_INTERFACE of the library that is loaded. */
uint32_t dropcurve_interface(void);
/* Why the last call of this thread failed: one line for each problem. Valid until the next failure of the thread. */
const char *dropcurve_last_error(void);
/* Frees a text that this library returned. NULL is allowed. */
void dropcurve_free_text(char *text);

/* ---- 1. A discipline with the caller's packets and clock -------------------------------------------------------- */

/* A packet. Everything but user is read by some discipline. */
typedef struct dropcurve_packet {
    void *user;            /* the caller's; comes back with the packet and is never followed */
    uint64_t flow;         /* equal for packets of one flow and direction */
    uint64_t source;       /* the host it comes from; 0 where that is unknown */
    uint64_t destination;  /* the host it goes to; 0 where that is unknown */
    uint32_t size;         /* bytes on the wire */
    uint8_t ecn;           /* the two ECN bits */
    uint8_t traffic_class; /* class, precedence or colour; 0 is the ordinary one */
} dropcurve_packet;

/* The link behind a queue: automatic parameters and idle times follow from it. */
typedef struct dropcurve_setting {
    uint64_t rate_bps;     /* 0: unlimited */
    uint64_t delay_ns;     /* propagation delay */
    uint64_t packet_bytes; /* a typical packet, such as 1500 */
} dropcurve_setting;

/* A packet that was dropped, or that stays and was marked. */
typedef struct dropcurve_event {
    dropcurve_packet packet;
    uint32_t kind;   /* DROPCURVE_DROPPED or DROPCURVE_MARKED */
    uint32_t reason; /* DROPCURVE_EARLY, ... */
} dropcurve_event;

typedef struct dropcurve_queue dropcurve_queue;

/* Makes a discipline. parameters is a name ("codel", "red:ns2") or the table of a scenario's queue in TOML:
 * "kind = 'red'\nmin_th = '5 pkts'\nmax_th = '15 pkts'\nlimit = '60 pkts'". Its random numbers are those of the stream
 * with this name under this seed: the simulator's own queue uses "queue/LINK". NULL if there is a problem. */
dropcurve_queue *dropcurve_queue_new(const char *parameters, const dropcurve_setting *setting, uint64_t seed,
                                     const char *stream);
/* Frees a queue; what the user pointers of packets in it lead to is the caller's (dequeue first). NULL is allowed. */
void dropcurve_queue_free(dropcurve_queue *queue);
/* Takes uniform numbers in [0, 1) from the caller from now on. */
int dropcurve_queue_set_random(dropcurve_queue *queue, double (*uniform)(void *context), void *context);
/* Bytes of the packet on the wire, for a link that counts it as part of the queue. Holds until it is set again. */
int dropcurve_queue_set_on_wire(dropcurve_queue *queue, uint64_t bytes);

/* Hands a packet to the queue, which copies it. now_ns must never go back. */
int dropcurve_queue_enqueue(dropcurve_queue *queue, uint64_t now_ns, const dropcurve_packet *packet);
/* Takes the next packet to send: 1, or 0 if there is none. Call it whenever the link becomes free, also when the queue is
 * empty (the discipline then knows that the line is idle), and after an enqueue on an idle line. */
int dropcurve_queue_dequeue(dropcurve_queue *queue, uint64_t now_ns, dropcurve_packet *packet);
/* Calls the discipline's periodic controller if it is due. */
int dropcurve_queue_on_timer(dropcurve_queue *queue, uint64_t now_ns);
/* When dropcurve_queue_on_timer is due; DROPCURVE_NEVER for a discipline without one. */
uint64_t dropcurve_queue_next_timer(const dropcurve_queue *queue);
/* For a discipline that shapes: before this time dequeue returns none although packets wait. 0 for all others. */
uint64_t dropcurve_queue_ready(const dropcurve_queue *queue);
/* The next drop or mark since the last one that was taken: 1, or 0 if there is none. Take them after each call. */
int dropcurve_queue_next_event(dropcurve_queue *queue, dropcurve_event *event);

/* Packets and bytes in the queue; 0 for NULL. */
uint64_t dropcurve_queue_length(const dropcurve_queue *queue);
uint64_t dropcurve_queue_backlog(const dropcurve_queue *queue);
/* The discipline's own average of the queue, in the unit of its thresholds; NaN if it has none. */
double dropcurve_queue_average(const dropcurve_queue *queue);
/* Internal value number index with its name: 1, or 0 beyond the last. */
int dropcurve_queue_value(const dropcurve_queue *queue, size_t index, const char **name, double *number);

/* ---- 2. Whole simulations --------------------------------------------------------------------------------------- */

/* Runs a scenario (TOML) once; returns its summary as JSON, to be freed with dropcurve_free_text. digest may be NULL, or
 * gets the digest of the run: the number that `dropcurve run FILE --seed N --digest` prints. */
char *dropcurve_run(const char *scenario, uint64_t seed, uint64_t *digest);
/* The scenario with every default written out (TOML), to be freed with dropcurve_free_text. */
char *dropcurve_resolve(const char *scenario);
/* All disciplines, transports and sources with their parameters, as JSON, to be freed with dropcurve_free_text. */
char *dropcurve_catalogue(void);

/* ---- 3. Disciplines in shared libraries ------------------------------------------------------------------------- */

/* Loads a plug-in, whose discipline scenarios and dropcurve_queue_new then know by its name. Its code runs in this
 * process with all its rights. */
int dropcurve_load_plugin(const char *path);

/* A packet as a plug-in sees it. */
typedef struct dropcurve_plugin_packet {
    uint32_t number; /* identifies it until it has left or is dropped; then the number is free again */
    uint32_t size;
    uint64_t flow;
    uint8_t ecn;
    uint8_t traffic_class;
} dropcurve_plugin_packet;

/* One call: the time, what a plug-in may set, and what it may do. */
typedef struct dropcurve_call {
    uint64_t now_ns;
    uint64_t on_wire_bytes;
    uint64_t deadline_ns; /* set by on_deadline: when to call it next */
    uint64_t ready_ns;    /* set by a plug-in that shapes: before this time dequeue returns none */
    double average;       /* set by a plug-in that has an average of the queue; else NaN */
    void *host;           /* for the functions below */
    double (*uniform)(void *host);
    void (*drop)(void *host, uint32_t packet, uint32_t reason);
    uint8_t (*mark)(void *host, uint32_t packet, uint32_t reason); /* 0 if the packet is not ECN-capable */
    void (*fail)(void *host, const uint8_t *message, size_t length);
} dropcurve_call;

/* A parameter: a number. unit is "s" (written "20 ms"), "bit/s", or any word that may follow the number. */
typedef struct dropcurve_parameter {
    const char *name;
    const char *unit;
    const char *about;
    double default_value;
    double least;
    double greatest;
} dropcurve_parameter;

/* What a plug-in's library exports by a function dropcurve_discipline_v1(void) that returns a pointer to it. All of it
 * lives as long as the process. */
typedef struct dropcurve_table {
    uint32_t version; /* DROPCURVE_INTERFACE */
    uint16_t shapes;  /* 1 if it holds packets back although the link is free */
    uint16_t decides_at_arrival; /* 1 if every packet it accepts leaves unchanged after all accepted before it */
    const char *name; /* what a scenario writes after kind */
    const char *title;
    const char *about;
    const dropcurve_parameter *parameters;
    size_t parameter_count;
    void *(*create)(const dropcurve_setting *setting, const double *values);
    void (*destroy)(void *state);
    uint64_t (*first_deadline)(void *state); /* after the start of the run; DROPCURVE_NEVER for none at all */
    void (*enqueue)(void *state, const dropcurve_plugin_packet *packet, dropcurve_call *call);
    uint32_t (*dequeue)(void *state, dropcurve_call *call); /* a packet's number or DROPCURVE_NO_PACKET */
    void (*on_deadline)(void *state, dropcurve_call *call);
} dropcurve_table;

#ifdef __cplusplus
}
#endif
#endif
