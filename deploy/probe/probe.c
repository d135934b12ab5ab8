/*
 * Tries to reach the targets of VEXIL_PROBE from inside a container, prints the results, and then accepts
 * connections, so that other containers can try to reach this one.
 *
 * VEXIL_PROBE: targets, separated by blanks, at most 64. Nothing else is tried.
 *   tcp,ADDRESS,PORT   connects. ADDRESS is IPv4, IPv6, or `gateway`, the gateway of the default route (IPv4).
 *   dns,ADDRESS,PORT   asks a name server for the servers of the root. ADDRESS may be `resolver`, the first name
 *                      server of /etc/resolv.conf.
 *   link,PORT          finds hosts on the link by an echo request to ff02::1 on every interface, and connects to
 *                      those at their link-local addresses.
 * VEXIL_PROBE_PORT: the TCP port to accept connections on; 0 or absent: none.
 * VEXIL_PROBE_WAIT: seconds before the first try; 0 by default.
 *
 * Output: for each target `NUMBER reached|refused|untried ADDRESS`, in any order, then `done`. `refused`: no
 * connection or no answer within 3 seconds. `untried`: there is no such address or socket in this container.
 * Ends after 60 seconds.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TARGETS = 64, NEIGHBOURS = 16, PATIENCE_MS = 3000, ECHO_MS = 1000, LIFETIME_S = 60 };

/* The exit code of the process that tries a target. */
enum result { REACHED, REFUSED, UNTRIED };
static const char *const words[] = {"reached", "refused", "untried"};

struct address {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  };
  socklen_t length;
};

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * (int64_t)1000 + time.tv_nsec / 1000000;
}

/* Returns whether `events` came before `until`. */
static int wait_for(int fd, short events, int64_t until) {
  for (;;) {
    struct pollfd one = {.fd = fd, .events = events};
    int64_t left = until - now_ms();
    int ready = poll(&one, 1, left > 0 ? (int)left : 0);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

static int parse_address(const char *text, int port, struct address *out) {
  memset(out, 0, sizeof *out);
  int v4 = inet_pton(AF_INET, text, &out->v4.sin_addr) == 1;
  if (!v4 && inet_pton(AF_INET6, text, &out->v6.sin6_addr) != 1) return 0;
  out->any.sa_family = v4 ? AF_INET : AF_INET6;
  /* The port is at the same offset in both. */
  out->v4.sin_port = htons((uint16_t)port);
  out->length = v4 ? sizeof out->v4 : sizeof out->v6;
  return 1;
}

static void text_of(const struct address *address, char *out, size_t size) {
  if (address->any.sa_family == AF_INET) {
    inet_ntop(AF_INET, &address->v4.sin_addr, out, size);
    return;
  }
  char name[IF_NAMESIZE];
  inet_ntop(AF_INET6, &address->v6.sin6_addr, out, size);
  if (address->v6.sin6_scope_id && if_indextoname(address->v6.sin6_scope_id, name)) {
    strncat(out, "%", size - strlen(out) - 1);
    strncat(out, name, size - strlen(out) - 1);
  }
}

static enum result try_tcp(const struct address *to) {
  int fd = socket(to->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) return UNTRIED;
  int error = connect(fd, &to->any, to->length) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    socklen_t length = sizeof error;
    if (!wait_for(fd, POLLOUT, now_ms() + PATIENCE_MS)) error = ETIMEDOUT;
    else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0) error = errno;
  }
  close(fd);
  return error == 0 ? REACHED : REFUSED;
}

/* If the name server of the container answers only with SERVFAIL, it has not reached another one. */
static enum result try_dns(const struct address *to) {
  /* Recursion desired, one question: name `.`, type NS, class IN. */
  unsigned char question[] = {0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1}, answer[1500];
  question[0] = getpid() >> 8;
  question[1] = getpid();
  int fd = socket(to->any.sa_family, SOCK_DGRAM, 0);
  if (fd < 0) return UNTRIED;
  if (connect(fd, &to->any, to->length) < 0) return REFUSED;
  /* Two attempts, because the first packet of a container may be lost. */
  for (int round = 0; round < 2; round++) {
    if (send(fd, question, sizeof question, 0) < 0) continue;
    int64_t until = now_ms() + PATIENCE_MS / 2;
    while (wait_for(fd, POLLIN, until)) {
      ssize_t size = recv(fd, answer, sizeof answer, 0);
      if (size < 0) break;
      if (size < 12 || memcmp(answer, question, 2) != 0 || !(answer[2] & 0x80)) continue;
      return (answer[3] & 15) == 2 ? REFUSED : REACHED;
    }
  }
  return REFUSED;
}

struct neighbours {
  struct address found[NEIGHBOURS];
  int count;
};

/* Adds a link-local address, unless it is known already or belongs to this container: only its own can be bound. */
static void add_neighbour(struct neighbours *all, const struct in6_addr *address, unsigned interface) {
  struct address *next = &all->found[all->count];
  int fd = socket(AF_INET6, SOCK_DGRAM, 0), skip = !IN6_IS_ADDR_LINKLOCAL(address) || all->count == NEIGHBOURS - 1;
  memset(next, 0, sizeof *next);
  next->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = *address, .sin6_scope_id = interface};
  next->length = sizeof next->v6;
  for (int i = 0; i < all->count; i++) skip |= memcmp(&next->v6, &all->found[i].v6, sizeof next->v6) == 0;
  if (!skip && bind(fd, &next->any, next->length) != 0) all->count++;
  close(fd);
}

/* Asks all hosts on the link of each interface for an echo, and adds those that answer. REFUSED: no interface has IPv6. */
static enum result call_neighbours(struct neighbours *all) {
  int fd = socket(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6);
  if (fd < 0) fd = socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
  struct ifaddrs *interfaces;
  if (getifaddrs(&interfaces) < 0) return UNTRIED;
  struct icmp6_hdr echo = {.icmp6_type = ICMP6_ECHO_REQUEST};
  enum result result = REFUSED;
  for (struct ifaddrs *one = interfaces; one; one = one->ifa_next) {
    struct address to;
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET6 || (one->ifa_flags & IFF_LOOPBACK)) continue;
    parse_address("ff02::1", 0, &to);
    to.v6.sin6_scope_id = if_nametoindex(one->ifa_name);
    if (sendto(fd, &echo, sizeof echo, 0, &to.any, to.length) > 0) result = REACHED;
    else if (result == REFUSED) result = UNTRIED;
  }
  freeifaddrs(interfaces);
  for (int64_t until = now_ms() + ECHO_MS; result == REACHED && wait_for(fd, POLLIN, until);) {
    struct sockaddr_in6 from;
    socklen_t length = sizeof from;
    if (recvfrom(fd, &echo, sizeof echo, 0, (struct sockaddr *)&from, &length) < 0) break;
    add_neighbour(all, &from.sin6_addr, from.sin6_scope_id);
  }
  if (fd >= 0) close(fd);
  return result;
}

/* Adds the link-local addresses of the kernel's neighbour table. */
static void read_neighbours(struct neighbours *all) {
  struct {
    struct nlmsghdr head;
    struct ndmsg body;
  } ask = {.head = {.nlmsg_len = sizeof ask, .nlmsg_type = RTM_GETNEIGH, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
           .body = {.ndm_family = AF_INET6}};
  int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), more = fd >= 0 && send(fd, &ask, sizeof ask, 0) > 0;
  while (more && wait_for(fd, POLLIN, now_ms() + ECHO_MS)) {
    char buffer[16384] __attribute__((aligned(NLMSG_ALIGNTO)));
    int left = (int)recv(fd, buffer, sizeof buffer, 0);
    more = left > 0;
    struct nlmsghdr *at = (struct nlmsghdr *)buffer;
    for (; more && NLMSG_OK(at, (unsigned)left); at = NLMSG_NEXT(at, left)) {
      struct ndmsg *entry = NLMSG_DATA(at);
      struct rtattr *part = (struct rtattr *)((char *)entry + NLMSG_ALIGN(sizeof *entry));
      int size = (int)(at->nlmsg_len - NLMSG_LENGTH(sizeof *entry));
      more = at->nlmsg_type == RTM_NEWNEIGH;
      for (; more && RTA_OK(part, size); part = RTA_NEXT(part, size))
        if (part->rta_type == NDA_DST) add_neighbour(all, RTA_DATA(part), (unsigned)entry->ndm_ifindex);
    }
  }
  close(fd);
}

static enum result try_link(int port, struct address *shown) {
  struct neighbours all = {.count = 0};
  pid_t tries[NEIGHBOURS];
  enum result result = UNTRIED;
  /* A link-local address may be unusable for up to two seconds, until the kernel knows that no other host has it (RFC 4862). */
  for (int round = 0; result != REFUSED && all.count == 0 && round < 4; round++) {
    result = call_neighbours(&all);
    if (result == UNTRIED) usleep(ECHO_MS / 2 * 1000);
  }
  if (result != REACHED) return result;
  read_neighbours(&all);
  for (int i = 0; i < all.count; i++) {
    all.found[i].v6.sin6_port = htons((uint16_t)port);
    if ((tries[i] = fork()) == 0) _exit(try_tcp(&all.found[i]));
  }
  if (all.count > 0) *shown = all.found[0];
  result = REFUSED;
  for (int i = 0; i < all.count; i++) {
    int status;
    if (waitpid(tries[i], &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != REACHED) continue;
    *shown = all.found[i];
    result = REACHED;
  }
  return result;
}

/* The gateway of the default route, as text; does not change `out` if there is none. */
static void find_gateway(char *out, size_t size) {
  char line[256], gateway[9];
  FILE *routes = fopen("/proc/net/route", "r");
  int found = 0;
  while (routes && !found && fgets(line, sizeof line, routes))
    if (sscanf(line, "%*s 00000000 %8[0-9A-F]", gateway) == 1 && strcmp(gateway, "00000000") != 0) {
      struct in_addr address = {.s_addr = (in_addr_t)strtoul(gateway, NULL, 16)};
      found = inet_ntop(AF_INET, &address, out, size) != NULL;
    }
  if (routes) fclose(routes);
}

static void find_resolver(char *out, size_t size) {
  char line[256], address[64];
  FILE *file = fopen("/etc/resolv.conf", "r");
  int found = 0;
  while (file && !found && fgets(line, sizeof line, file))
    if (sscanf(line, "nameserver %63s", address) == 1) found = snprintf(out, size, "%s", address) > 0;
  if (file) fclose(file);
}

static enum result try_target(char *target, char *shown, size_t size) {
  struct address to;
  char *kind = strsep(&target, ","), *place = target ? strsep(&target, ",") : NULL;
  if (!place) return UNTRIED;
  if (strcmp(kind, "link") == 0) {
    memset(&to, 0, sizeof to);
    enum result result = try_link(atoi(place), &to);
    if (to.length) text_of(&to, shown, size);
    return result;
  }
  if (strcmp(place, "gateway") == 0) find_gateway(shown, size);
  else if (strcmp(place, "resolver") == 0) find_resolver(shown, size);
  else snprintf(shown, size, "%s", place);
  if (!target || !parse_address(shown, atoi(target), &to)) return UNTRIED;
  return strcmp(kind, "tcp") == 0 ? try_tcp(&to) : strcmp(kind, "dns") == 0 ? try_dns(&to) : UNTRIED;
}

/* Listens on all addresses; only on IPv4 if the kernel has no IPv6. */
static int listen_on(int port) {
  struct address any;
  for (int family = 0; family < 2; family++) {
    parse_address(family == 0 ? "::" : "0.0.0.0", port, &any);
    int fd = socket(any.any.sa_family, SOCK_STREAM, 0);
    if (fd >= 0 && bind(fd, &any.any, any.length) == 0 && listen(fd, 64) == 0) return fd;
  }
  return -1;
}

int main(void) {
  const char *port = getenv("VEXIL_PROBE_PORT"), *given = getenv("VEXIL_PROBE"), *wait_s = getenv("VEXIL_PROBE_WAIT");
  char *targets = strdup(given ? given : ""), *target;
  int listener = port && atoi(port) > 0 ? listen_on(atoi(port)) : -1, count = 0;
  alarm(LIFETIME_S);
  sleep(wait_s ? atoi(wait_s) : 0);
  while (targets && count < TARGETS && (target = strsep(&targets, " "))) {
    if (*target == '\0') continue;
    if (fork() == 0) {
      char shown[INET6_ADDRSTRLEN + IF_NAMESIZE + 1] = "-";
      enum result result = try_target(target, shown, sizeof shown);
      dprintf(STDOUT_FILENO, "%d %s %s\n", count, words[result], shown);
      _exit(0);
    }
    count++;
  }
  while (wait(NULL) > 0) continue;
  dprintf(STDOUT_FILENO, "done\n");
  for (;;) {
    int peer = accept(listener, NULL, NULL);
    if (peer >= 0) close(peer);
    else if (errno != EINTR) pause();
  }
}
