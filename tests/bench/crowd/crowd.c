/*
 * Streams of many viewers from one thread: a range of each stream whenever the one before has been played. The bytes are
 * thrown away in the kernel, so that this program takes little of its core.
 *
 *   crowd PORT PATH FILE_BYTES STREAMS RANGE_BYTES RANGE_LASTS_MS BUFFER_MS SECONDS
 *
 * It prints one line of JSON: ranges, those that came later than the buffer lasts or not at all (stalls), the slowest
 * range, the 99th percentile of how late a request left this program (ms), and the share of a core that it took (%).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { head_room = 4096, streams_of_viewer = 4, events_at_once = 512 };

struct stream {
  int socket; /* -1 without a connection */
  int is_waiting; /* for an answer */
  double due; /* of the request under way, or of the next one */
  size_t head_length; /* of the answer's head that has come; unused once the body comes */
  int is_body;
  int64_t left; /* bytes of the body that have not come */
  char head[head_room];
};

static struct stream *streams;
static int count, poller, port;
static const char *path;
static int64_t file_bytes, range_bytes;
static double lasts_ms, buffer_ms;
static long ranges, stalls, failures;
static double slowest_ms, *lateness;
static size_t latenesses, lateness_room;

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void note_lateness(double ms) {
  if (latenesses == lateness_room) {
    lateness_room = lateness_room == 0 ? 4096 : lateness_room * 2;
    lateness = realloc(lateness, lateness_room * sizeof *lateness);
    if (lateness == NULL) fail("memory");
  }
  lateness[latenesses++] = ms;
}

/* The range has come, or will not come. The next one is due when this one would have been played. */
static void finish(struct stream *stream, int is_whole) {
  double took = now_ms() - stream->due;
  ranges += 1;
  if (took > slowest_ms) slowest_ms = took;
  if (!is_whole) failures += 1;
  if (!is_whole || took > buffer_ms) stalls += 1;
  stream->is_waiting = 0;
  stream->due += lasts_ms;
}

static void disconnect(struct stream *stream) {
  if (stream->socket >= 0) close(stream->socket);
  stream->socket = -1;
  if (stream->is_waiting) finish(stream, 0);
}

static int open_connection(struct stream *stream) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int yes = 1;
  stream->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (stream->socket < 0) fail("socket");
  if (connect(stream->socket, (struct sockaddr *)&address, sizeof address) != 0) return 0;
  setsockopt(stream->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  struct epoll_event wanted = {.events = EPOLLIN | EPOLLRDHUP, .data.u32 = (uint32_t)(stream - streams)};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, stream->socket, &wanted) != 0) fail("epoll_ctl");
  return 1;
}

static void ask(struct stream *stream) {
  int viewer = (int)(stream - streams) / streams_of_viewer;
  int64_t first = (int64_t)(drand48() * (double)(file_bytes - range_bytes));
  char request[1024];
  int length = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Forwarded-For: 10.1.%d.%d\r\n"
                        "Range: bytes=%lld-%lld\r\n\r\n",
                        path, port, viewer >> 8, viewer & 255, (long long)first, (long long)(first + range_bytes - 1));
  note_lateness(now_ms() - stream->due);
  stream->is_waiting = 1;
  stream->is_body = 0;
  stream->head_length = 0;
  if ((stream->socket < 0 && !open_connection(stream)) ||
      send(stream->socket, request, (size_t)length, MSG_NOSIGNAL) != length)
    disconnect(stream);
}

/* Returns how many bytes of the body came with the head, or -1 while the head is not whole or is not as expected. */
static int64_t read_head(struct stream *stream) {
  stream->head[stream->head_length] = 0;
  char *end = strstr(stream->head, "\r\n\r\n");
  if (end == NULL) {
    if (stream->head_length + 1 == head_room) disconnect(stream);
    return -1;
  }
  char *length = strcasestr(stream->head, "\r\ncontent-length:");
  if (strncmp(stream->head, "HTTP/1.1 206", 12) != 0 || length == NULL || length > end) {
    fprintf(stderr, "%.60s\n", stream->head);
    disconnect(stream);
    return -1;
  }
  stream->left = strtoll(length + 17, NULL, 10);
  stream->is_body = 1;
  return (int64_t)stream->head_length - (end + 4 - stream->head);
}

static void receive(struct stream *stream) {
  for (;;) {
    ssize_t got;
    if (!stream->is_waiting || !stream->is_body) {
      char *into = stream->head + stream->head_length;
      got = recv(stream->socket, into, head_room - 1 - stream->head_length, MSG_DONTWAIT);
      if (got > 0 && !stream->is_waiting) got = 0; /* Nobody asked for this. */
      if (got > 0) {
        stream->head_length += (size_t)got;
        got = read_head(stream);
        if (got < 0) {
          if (stream->socket < 0) return;
          continue;
        }
      } else if (got == 0) {
        disconnect(stream);
        return;
      } else {
        if (errno != EAGAIN) disconnect(stream);
        return;
      }
    } else {
      got = recv(stream->socket, NULL, 1 << 20, MSG_DONTWAIT | MSG_TRUNC);
      if (got <= 0) {
        if (got == 0 || errno != EAGAIN) disconnect(stream);
        return;
      }
    }
    stream->left -= got;
    if (stream->left == 0) {
      finish(stream, 1);
      stream->head_length = 0;
    }
  }
}

/* When the next request of a stream is due; by then the one under way has failed. */
static double next_of(const struct stream *stream) {
  return stream->due + (stream->is_waiting ? lasts_ms : 0);
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
  if (argc != 9) {
    fprintf(stderr, "usage: crowd PORT PATH FILE_BYTES STREAMS RANGE_BYTES RANGE_LASTS_MS BUFFER_MS SECONDS\n");
    return 2;
  }
  port = atoi(argv[1]);
  path = argv[2];
  file_bytes = atoll(argv[3]);
  count = atoi(argv[4]);
  range_bytes = atoll(argv[5]);
  lasts_ms = atof(argv[6]);
  buffer_ms = atof(argv[7]);
  struct rlimit files = {(rlim_t)count + 64, (rlim_t)count + 64};
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) fail("setrlimit");
  poller = epoll_create1(0);
  streams = calloc((size_t)count, sizeof *streams);
  if (streams == NULL || poller < 0) fail("start");
  double begun = now_ms(), end = begun + atof(argv[8]) * 1e3;
  for (int index = 0; index < count; index += 1) {
    streams[index].socket = -1;
    streams[index].due = begun + lasts_ms * index / count;
  }
  /* Every range lasts as long, so that requests are due in the order of the streams, round after round. */
  int next = 0;
  struct epoll_event events[events_at_once];
  for (;;) {
    double now = now_ms();
    if (now >= end) break;
    double until;
    while ((until = next_of(&streams[next]) - now) <= 0) {
      if (streams[next].is_waiting) disconnect(&streams[next]);
      ask(&streams[next]);
      next = (next + 1) % count;
    }
    int ready = epoll_wait(poller, events, events_at_once, until > 50 ? 50 : (int)until);
    for (int at = 0; at < ready; at += 1) {
      struct stream *stream = &streams[events[at].data.u32];
      if (stream->socket >= 0) receive(stream);
    }
  }
  /* What is still on its way is judged by how long it has waited. */
  for (int index = 0; index < count; index += 1)
    if (streams[index].is_waiting && end - streams[index].due > buffer_ms) finish(&streams[index], 0);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
  qsort(lateness, latenesses, sizeof *lateness, compare);
  printf("{\"ranges\":%ld,\"stalls\":%ld,\"failures\":%ld,\"slowestMs\":%.1f,\"latenessP99Ms\":%.1f,\"cpuPercent\":%.1f}\n",
         ranges, stalls, failures, slowest_ms, latenesses == 0 ? 0 : lateness[latenesses * 99 / 100],
         100 * cpu / (end - begun));
  return 0;
}
