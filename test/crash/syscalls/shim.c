/*
 * Stands between a program and the C library (LD_PRELOAD), and lets the n-th write, sync or truncation of the
 * database's files go wrong: it fails, is cut off half-way, or is where the process dies. It can also take back all that was
 * not synced, as a loss of power does, and step the wall clock.
 *
 * Whoever started the program steers it through a small file that both have mapped, so that a fault can come and go while
 * the program runs. Only files whose name begins with REEVE_SHIM_TARGET are touched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The same list, in the same order, as `faultNames` in test/support/crash/syscalls/shim.ts. */
enum fault { NONE, FAIL_EIO, FAIL_ENOSPC, SHORT, CUT, TORN, KILL, POWER, FAIL_EROFS };

struct control {
  int32_t at;      /* which call goes wrong, counted from 1; 0 for none */
  int32_t fault;   /* what happens to it */
  int32_t lasting; /* whether every later call goes wrong as well */
  int32_t calls;   /* how many calls there were */
  int32_t seconds; /* by how much the wall clock is off */
};

static struct control *control;
static const char *target;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off64_t);
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_gettimeofday)(struct timeval *, void *);

__attribute__((constructor)) static void start(void) {
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_pread = dlsym(RTLD_NEXT, "pread64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_gettimeofday = dlsym(RTLD_NEXT, "gettimeofday");
  target = getenv("REEVE_SHIM_TARGET");
  const char *path = getenv("REEVE_SHIM_CONTROL");
  int fd = path == NULL || target == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) control = map;
}

/* The path of a file of the database, else NULL. */
static const char *path_of(int fd, char *path, size_t size) {
  char link[64] = "/proc/self/fd/";
  char digits[16];
  int saved = errno, length = 0;
  for (int rest = fd; length == 0 || rest > 0; rest /= 10) digits[length++] = (char)('0' + rest % 10);
  char *end = link + strlen(link);
  while (length > 0) *end++ = digits[--length];
  *end = 0;
  ssize_t found = fd < 0 ? -1 : readlink(link, path, size - 1);
  errno = saved;
  if (found <= 0) return NULL;
  path[found] = 0;
  const char *name = strrchr(path, '/');
  return name != NULL && strncmp(name + 1, target, strlen(target)) == 0 ? path : NULL;
}

/* ---- What is not synced yet, latest first, with what was there before. ---- */
struct change {
  struct change *next;
  char *path;
  off64_t at, size_before;
  size_t length;
  char *before;
};
static struct change *changes;

static void note(const char *path, int fd, off64_t at, size_t length) {
  struct stat64 stat;
  if (fstat64(fd, &stat) != 0) return;
  struct change *change = malloc(sizeof *change);
  *change = (struct change){.path = strdup(path), .at = at, .size_before = stat.st_size, .before = malloc(length + 1)};
  ssize_t got = real_pread(fd, change->before, length, at);
  change->length = got < 0 ? 0 : (size_t)got;
  pthread_mutex_lock(&lock);
  change->next = changes;
  changes = change;
  pthread_mutex_unlock(&lock);
}

static void synced(const char *path) {
  pthread_mutex_lock(&lock);
  for (struct change **at = &changes; *at != NULL;) {
    if (strcmp((*at)->path, path) == 0) *at = (*at)->next; /* never freed: the program is short */
    else at = &(*at)->next;
  }
  pthread_mutex_unlock(&lock);
}

static void take_back(void) {
  for (struct change *change = changes; change != NULL; change = change->next) {
    int fd = open(change->path, O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    real_pwrite(fd, change->before, change->length, change->at);
    real_ftruncate(fd, change->size_before);
    close(fd);
  }
}

/* ---- The calls. ---- */
__attribute__((noreturn)) static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* What is to happen to this call. Dying is done here, unless the call is to be done in part first. */
static enum fault turn(void) {
  int call = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
  if (control->at == 0 || call < control->at || (call > control->at && !control->lasting)) return NONE;
  enum fault fault = (enum fault)control->fault;
  if (fault == POWER) take_back();
  if (fault == POWER || fault == KILL) die();
  return fault;
}

static ssize_t put(int fd, const void *from, size_t length, off64_t at) {
  return at < 0 ? real_write(fd, from, length) : real_pwrite(fd, from, length, at);
}

static ssize_t faulty_put(int fd, const void *from, size_t length, off64_t at) {
  char buffer[4096];
  const char *path = control == NULL ? NULL : path_of(fd, buffer, sizeof buffer);
  if (path == NULL) return put(fd, from, length, at);
  size_t half = length / 2;
  switch (turn()) {
  case FAIL_EIO:
    errno = EIO;
    return -1;
  case FAIL_ENOSPC:
    errno = ENOSPC;
    return -1;
  case FAIL_EROFS:
    errno = EROFS;
    return -1;
  case SHORT:
    return put(fd, from, half == 0 ? length : half, at);
  case CUT:
    if (half > 0) put(fd, from, half, at);
    errno = EIO;
    return -1;
  case TORN:
    if (half > 0) put(fd, from, half, at);
    die();
  default:
    if (control->fault == POWER) note(path, fd, at < 0 ? lseek64(fd, 0, SEEK_CUR) : at, length);
    return put(fd, from, length, at);
  }
}

static int faulty_sync(int fd, int (*sync)(int)) {
  char buffer[4096];
  const char *path = control == NULL ? NULL : path_of(fd, buffer, sizeof buffer);
  if (path == NULL) return sync(fd);
  enum fault fault = turn();
  if (fault == TORN) die();
  if (fault != NONE && fault != SHORT) {
    errno = fault == FAIL_ENOSPC ? ENOSPC : fault == FAIL_EROFS ? EROFS : EIO;
    return -1;
  }
  int result = sync(fd);
  if (result == 0 && control->fault == POWER) synced(path);
  return result;
}

static int faulty_truncate(int fd, off64_t size) {
  char buffer[4096];
  const char *path = control == NULL ? NULL : path_of(fd, buffer, sizeof buffer);
  if (path == NULL) return real_ftruncate(fd, size);
  enum fault fault = turn();
  if (fault == TORN) die();
  if (fault != NONE && fault != SHORT) {
    errno = fault == FAIL_ENOSPC ? ENOSPC : fault == FAIL_EROFS ? EROFS : EIO;
    return -1;
  }
  struct stat64 stat;
  if (control->fault == POWER && fstat64(fd, &stat) == 0) note(path, fd, size, stat.st_size > size ? (size_t)(stat.st_size - size) : 0);
  return real_ftruncate(fd, size);
}

ssize_t write(int fd, const void *from, size_t length) { return faulty_put(fd, from, length, -1); }
ssize_t pwrite(int fd, const void *from, size_t length, off_t at) { return faulty_put(fd, from, length, at); }
ssize_t pwrite64(int fd, const void *from, size_t length, off64_t at) { return faulty_put(fd, from, length, at); }
int fsync(int fd) { return faulty_sync(fd, real_fsync); }
int fdatasync(int fd) { return faulty_sync(fd, real_fdatasync); }
int ftruncate(int fd, off_t size) { return faulty_truncate(fd, size); }
int ftruncate64(int fd, off64_t size) { return faulty_truncate(fd, size); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = real_clock_gettime(clock, time);
  if (result == 0 && control != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += control->seconds;
  return result;
}
int gettimeofday(struct timeval *time, void *zone) {
  int result = real_gettimeofday(time, zone);
  if (result == 0 && control != NULL) time->tv_sec += control->seconds;
  return result;
}
