// SPDX-License-Identifier: BSD-2-Clause
//
// The data plane of the embedded lab: a sender that makes frames inside BPF_PROG_TEST_RUN ("live frames",
// kernel 5.18) and a sink that counts and drops them. User space writes `control` and `schedule` before a blast,
// does nothing while it lasts, and reads `slots` and `sunk` afterwards.
//
// The kernel calls blast() once per frame and flushes after each batch. Inline (no threaded NAPI at the DUT)
// a batch is forwarded to the sink before the next one begins, so the clock is read at batch starts only. With the DUT
// on a core of its own, a window bounds the frames in flight: more than the DUT's ring holds would only be dropped there.

#include <linux/bpf.h>

#define SEC(name) __attribute__((section(name), used))
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name
#define always_inline inline __attribute__((always_inline))

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static long (*const bpf_redirect)(u32 ifindex, u64 flags) = (void *)23;
static void *(*const bpf_map_lookup_percpu_elem)(void *map, const void *key, u32 cpu) = (void *)195;

#define MAX_ARMS 16
#define MAX_SLOTS 16384
// The first batches after a switch run with the other arm's data in the caches; they are counted apart.
#define GUARD_BATCHES 2

#define IPV4_HEADERS 42
#define IPV6_HEADERS 62

struct control {
	u32 ifindex[MAX_ARMS]; // the sender's interface towards each arm's DUT
	u64 headers[8];        // Ethernet + IP + UDP of flow 0, checksums left 0
	u32 ip_sum;            // sum of the IPv4 header's 16-bit words, big endian, without its checksum
	u32 udp_sum;           // the same for the UDP pseudo header, header and payload
	u32 ipv6;
	u32 sources;
	u32 destinations;
	u32 batch;
	u32 burn[MAX_ARMS]; // multiplications that each frame of an arm waits for: a known slow-down
	u64 interval_ns; // between frames; 0: as fast as the DUT takes them
	u64 guard_ns;    // the guard lasts at least so long
	u32 sink_cpu;    // where the sinks count
	u32 window;      // most frames in flight; 0: no bound
	u32 slot_count;
	// State of the blast.
	u32 started;
	u32 done;
	u32 slot;
	u32 in_batch;
	u32 batches_in_slot;
	u32 source;
	u32 destination;
	u64 next_ns;
	u64 idle_ns;  // time spent waiting for the next departure
	u64 idle_since;
	u64 sent;
	u64 sent_to[MAX_ARMS]; // less those that were given up, and what the sinks had counted before
	u64 waiting_since;     // for room in the window
	u64 seen_waiting;
	u64 burnt; // where the multiplications end, or the compiler would leave them out
};

struct slot {
	u64 start_ns;
	u64 ns; // from the first batch's start to the end of the last
	u64 guarded_ns; // the same without the guard batches
	u64 sunk_guard; // our frames at this arm's sink on the DUT's CPU at the guard's end, and at the slot's
	u64 sunk_after;
	u64 frames; // sent
};

struct sunk {
	u64 ours;
	u64 foreign;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct control);
} control SEC(".maps");

// arm | length_ns << 8
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SLOTS);
	__type(key, u32);
	__type(value, u64);
} schedule SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SLOTS);
	__type(key, u32);
	__type(value, struct slot);
} slots SEC(".maps");

// Indexed by arm. An arm's sink interface has index SINK_IFINDEX + arm in its namespace.
#define SINK_IFINDEX 100
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAX_ARMS);
	__type(key, u32);
	__type(value, struct sunk);
} sunk SEC(".maps");

static always_inline u64 sunk_at(struct control *c, u32 arm)
{
	struct sunk *s = bpf_map_lookup_percpu_elem(&sunk, &arm, c->sink_cpu);
	return s ? s->ours : 0;
}

static always_inline u16 checksum(u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return __builtin_bswap16((u16)~sum);
}

// Writes all headers, not only what differs between flows: pages come back after the DUT has changed them.
static always_inline int write_headers(struct control *c, void *data, void *end)
{
	u64 *out = data;
	u32 s = c->source, d = c->destination;

	if (c->ipv6) {
		if (data + IPV6_HEADERS > end)
			return -1;
		for (int i = 0; i < 7; i++)
			out[i] = c->headers[i];
		*(u32 *)(data + 56) = (u32)c->headers[7];
		*(u8 *)(data + 37) += s;
		*(u8 *)(data + 53) += d;
		u16 sum = checksum(c->udp_sum + s + d);
		*(u16 *)(data + 60) = sum ? sum : 0xffff;
	} else {
		if (data + IPV4_HEADERS > end)
			return -1;
		for (int i = 0; i < 5; i++)
			out[i] = c->headers[i];
		*(u16 *)(data + 24) = checksum(c->ip_sum + s + d);
		*(u8 *)(data + 29) += s;
		*(u8 *)(data + 33) += d;
		u16 sum = checksum(c->udp_sum + s + d);
		*(u16 *)(data + 40) = sum ? sum : 0xffff;
	}
	if (++s == c->sources) {
		s = 0;
		if (++d == c->destinations)
			d = 0;
		c->destination = d;
	}
	c->source = s;
	return 0;
}

#define MAX_BURN 4096
static always_inline void burn(struct control *c, u32 steps)
{
	u64 x = c->burnt | 1;

	for (u32 i = 0; i < MAX_BURN && i < steps; i++)
		x *= 0x9e3779b97f4a7c15ull;
	c->burnt = x;
}

// At the start of a batch: ends the slot whose time is over and begins the next. Returns 0 when there is none.
static always_inline int at_batch_start(struct control *c)
{
	u64 now = bpf_ktime_get_ns();
	u32 index = c->slot;
	struct slot *slot = bpf_map_lookup_elem(&slots, &index);
	u64 *word = bpf_map_lookup_elem(&schedule, &index);
	u32 arm, previous = MAX_ARMS;

	if (!slot || !word)
		return 0;
	if (!c->started) {
		c->started = 1;
		c->next_ns = now;
	} else {
		if (now - slot->start_ns < *word >> 8) {
			if (++c->batches_in_slot >= GUARD_BATCHES && !slot->guarded_ns && now - slot->start_ns >= c->guard_ns) {
				slot->guarded_ns = now;
				slot->sunk_guard = sunk_at(c, *word & 0xff);
			}
			return 1;
		}
		slot->ns = now - slot->start_ns;
		slot->sunk_after = sunk_at(c, *word & 0xff);
		if (slot->guarded_ns)
			slot->guarded_ns = now - slot->guarded_ns;
		previous = *word & 0xff;
		c->slot = ++index;
		if (index >= c->slot_count)
			return 0;
		slot = bpf_map_lookup_elem(&slots, &index);
		word = bpf_map_lookup_elem(&schedule, &index);
		if (!slot || !word)
			return 0;
	}
	slot->start_ns = now;
	arm = *word & (MAX_ARMS - 1);
	// A whole slot of another arm later, what has not arrived never will.
	if (c->window && arm != previous)
		c->sent_to[arm] = sunk_at(c, arm);
	c->batches_in_slot = 0;
	return 1;
}

// Frames lost on the way never leave the window; after so long without an arrival they are given up.
#define PATIENCE_NS 3000000

// Whether another batch fits in the window of frames in flight.
static always_inline int has_room(struct control *c, u32 arm)
{
	u64 arrived = sunk_at(c, arm);
	u64 now;

	if (c->sent_to[arm] + c->batch <= arrived + c->window) {
		c->waiting_since = 0;
		return 1;
	}
	now = bpf_ktime_get_ns();
	if (!c->waiting_since || arrived != c->seen_waiting) {
		c->waiting_since = now;
		c->seen_waiting = arrived;
	} else if (now - c->waiting_since > PATIENCE_NS) {
		c->sent_to[arm] = arrived;
		c->waiting_since = 0;
	}
	return 0;
}

SEC("xdp")
int blast(struct xdp_md *ctx)
{
	u32 zero = 0, index, arm;
	struct control *c = bpf_map_lookup_elem(&control, &zero);
	struct slot *slot;
	u64 *word;

	if (!c || c->done)
		return XDP_DROP;
	if (c->in_batch == 0 && !at_batch_start(c)) {
		c->done = 1;
		return XDP_DROP;
	}
	if (c->window && c->in_batch == 0) {
		index = c->slot;
		word = bpf_map_lookup_elem(&schedule, &index);
		if (!word || !has_room(c, *word & (MAX_ARMS - 1)))
			return XDP_DROP;
	}
	if (++c->in_batch >= c->batch)
		c->in_batch = 0;
	if (c->interval_ns) {
		u64 now = bpf_ktime_get_ns();
		if (now < c->next_ns) { // not yet: the kernel's loop calls again, so signals and the scheduler get their turn
			if (!c->idle_since)
				c->idle_since = now;
			return XDP_DROP;
		}
		if (c->idle_since) {
			c->idle_ns += now - c->idle_since;
			c->idle_since = 0;
		}
		c->next_ns += c->interval_ns;
	}
	index = c->slot;
	slot = bpf_map_lookup_elem(&slots, &index);
	word = bpf_map_lookup_elem(&schedule, &index);
	if (!slot || !word)
		return XDP_DROP;
	if (write_headers(c, (void *)(long)ctx->data, (void *)(long)ctx->data_end))
		return XDP_DROP;
	slot->frames++;
	c->sent++;
	arm = *word & (MAX_ARMS - 1);
	c->sent_to[arm]++;
	if (c->burn[arm])
		burn(c, c->burn[arm]);
	return bpf_redirect(c->ifindex[arm], 0);
}

// Counts what arrives at a sink and drops it: IPv4 or IPv6, UDP, to port 2001.
SEC("xdp")
int sink(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	u32 arm = ctx->ingress_ifindex - SINK_IFINDEX;
	struct sunk *s = bpf_map_lookup_elem(&sunk, &arm);
	int ours = 0;

	if (!s)
		return XDP_DROP;
	if (data + IPV4_HEADERS <= end) {
		u16 type = *(u16 *)(data + 12);
		u16 port = __builtin_bswap16(2001);
		if (type == __builtin_bswap16(0x0800))
			ours = *(u8 *)(data + 23) == 17 && *(u16 *)(data + 36) == port;
		else if (type == __builtin_bswap16(0x86dd) && data + IPV6_HEADERS <= end)
			ours = *(u8 *)(data + 20) == 17 && *(u16 *)(data + 56) == port;
	}
	if (ours)
		s->ours++;
	else
		s->foreign++;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
