/* Runs a command and writes down, in order, every change it makes to files below a folder.
 *
 *     recorder ROOT LOG COMMAND [ARGUMENT...]
 *
 * System calls are observed with ptrace, because parts of the store call the kernel without going through libc. Each
 * record is one line of tab-separated fields; the bytes of a write follow their line. A call is written down when it
 * returns, before the thread that made it goes on, so the order of the records is one the threads can have seen.
 * Memory that is mapped and written to is not seen. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const long watched[] = {
#ifdef __NR_open
    __NR_open, __NR_creat, __NR_rename, __NR_unlink, __NR_rmdir, __NR_mkdir, __NR_link, __NR_symlink,
#endif
    __NR_openat, __NR_renameat, __NR_renameat2, __NR_unlinkat, __NR_mkdirat, __NR_linkat, __NR_symlinkat,
    __NR_write, __NR_pwrite64, __NR_writev, __NR_pwritev, __NR_pwritev2, __NR_truncate, __NR_ftruncate,
    __NR_fallocate, __NR_fsync, __NR_fdatasync, __NR_sync, __NR_syncfs, __NR_copy_file_range, __NR_sendfile,
};
#define WATCHED (sizeof watched / sizeof watched[0])
#define TASKS_MAX 4096

struct task {
    pid_t tid;
    int is_inside; /* between the entry and the return of a watched call */
    int existed;   /* the file an open names was there before */
    __u64 nr, args[6];
    char path[PATH_MAX], other[PATH_MAX];
};

/* The kernel's answer to PTRACE_GET_SYSCALL_INFO; the headers of the kernel and of libc cannot be used together. */
struct call {
    __u8 op, pad[3];
    __u32 arch;
    __u64 instruction_pointer, stack_pointer;
    union {
        struct { __u64 nr, args[6]; } entry;
        struct { __s64 rval; __u8 is_error; } exit;
    } at;
    __u64 data;
};

static struct task *tasks[TASKS_MAX];
static char root[PATH_MAX];
static FILE *out;

static void die(const char *what) {
    fprintf(stderr, "recorder: %s: %s\n", what, strerror(errno));
    exit(70);
}

/* A thread keeps its place for as long as it lives: a place that an ended thread left free before it is not taken, or a
 * call that the thread is inside of would be forgotten. */
static struct task *task_of(pid_t tid) {
    struct task **unused = NULL;
    for (size_t i = 0; i < TASKS_MAX && tasks[i]; i++) {
        if (tasks[i]->tid == tid) return tasks[i];
        if (!tasks[i]->tid && !unused) unused = &tasks[i];
    }
    for (size_t i = 0; i < TASKS_MAX && !unused; i++)
        if (!tasks[i]) unused = &tasks[i];
    if (!unused) {
        errno = EAGAIN;
        die("too many threads");
    }
    if (!*unused && !(*unused = calloc(1, sizeof(struct task)))) die("memory");
    (*unused)->tid = tid;
    (*unused)->is_inside = 0;
    return *unused;
}

/* The part of a path below the root, or nothing where it lies elsewhere or is gone. */
static const char *below(const char *path) {
    size_t n = strlen(root), length = strlen(path);
    static const char gone[] = " (deleted)";
    if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != 0)) return NULL;
    if (length > sizeof gone && strcmp(path + length - (sizeof gone - 1), gone) == 0) return NULL;
    return path[n] ? path + n + 1 : path + n;
}

static void link_of(pid_t tid, const char *kind, char *path) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/%s", tid, kind);
    ssize_t n = readlink(name, path, PATH_MAX - 1);
    path[n < 0 ? 0 : n] = 0;
}

static void path_of_fd(pid_t tid, int fd, char *path) {
    char kind[32];
    snprintf(kind, sizeof kind, "fd/%d", fd);
    link_of(tid, kind, path);
}

static ssize_t memory(pid_t tid, void *to, __u64 from, size_t n) {
    struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};
    return process_vm_readv(tid, &local, 1, &remote, 1, 0);
}

/* A path a call names, made absolute, its folder resolved. */
static void path_at(pid_t tid, int dirfd, __u64 address, char *path) {
    char given[PATH_MAX] = "", folder[PATH_MAX] = "", joined[2 * PATH_MAX + 2];
    for (size_t at = 0; at + 1 < sizeof given; at++)
        if (memory(tid, given + at, address + at, 1) != 1 || !given[at]) break;
    if (given[0] == '/') snprintf(joined, sizeof joined, "%s", given);
    else {
        if (dirfd == AT_FDCWD) link_of(tid, "cwd", folder);
        else path_of_fd(tid, dirfd, folder);
        snprintf(joined, sizeof joined, "%s/%s", folder, given);
    }
    size_t n = strlen(joined);
    while (n > 1 && joined[n - 1] == '/') joined[--n] = 0;
    char *last = strrchr(joined, '/');
    path[0] = 0;
    if (!last) return;
    *last = 0;
    if (!realpath(joined[0] ? joined : "/", folder)) return;
    if (snprintf(path, PATH_MAX, "%s/%s", folder, last + 1) >= PATH_MAX) path[0] = 0;
}

static void note(const char *form, ...) {
    va_list values;
    va_start(values, form);
    vfprintf(out, form, values);
    va_end(values);
}

static void note_bytes(const char *path, long long at, const char *bytes, size_t n) {
    note("write\t%s\t%lld\t%zu\n", path, at, n);
    if (fwrite(bytes, 1, n, out) != n) die("log");
    fputc('\n', out);
}

static long long position(pid_t tid, int fd) {
    char name[64], line[256];
    long long at = 0;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", tid, fd);
    FILE *info = fopen(name, "r");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "pos: %lld", &at) == 1) break;
    if (info) fclose(info);
    return at;
}

/* The bytes a call wrote: `parts` pieces of memory at `address`, or one buffer there where parts is 0. */
static void wrote(pid_t tid, const char *path, long long at, __u64 address, size_t parts, size_t n) {
    char *bytes = malloc(n ? n : 1);
    size_t done = 0;
    if (!bytes) die("memory");
    if (!parts && memory(tid, bytes, address, n) != (ssize_t)n) die("a buffer");
    for (size_t i = 0; i < parts && done < n; i++) {
        struct iovec part;
        if (memory(tid, &part, address + i * sizeof part, sizeof part) != sizeof part) die("a buffer");
        size_t take = part.iov_len < n - done ? part.iov_len : n - done;
        if (take && memory(tid, bytes + done, (uintptr_t)part.iov_base, take) != (ssize_t)take) die("a buffer");
        done += take;
    }
    note_bytes(path, at, bytes, n);
    free(bytes);
}

/* What the kernel copied is read back from the file. */
static void copied(pid_t tid, int fd, const char *path, long long at, size_t n) {
    char name[64], *bytes = malloc(n ? n : 1);
    snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, fd);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (!bytes || file < 0 || pread(file, bytes, n, at) != (ssize_t)n) die("a copied file");
    note_bytes(path, at, bytes, n);
    close(file);
    free(bytes);
}

static void enter(struct task *t, pid_t tid) {
    const __u64 *a = t->args;
    struct stat about;
    t->path[0] = t->other[0] = 0;
    switch (t->nr) {
#ifdef __NR_open
    case __NR_open: case __NR_creat: case __NR_unlink: case __NR_rmdir: case __NR_mkdir:
        path_at(tid, AT_FDCWD, a[0], t->path);
        break;
    case __NR_rename: case __NR_link: case __NR_symlink:
        path_at(tid, AT_FDCWD, a[0], t->path);
        path_at(tid, AT_FDCWD, a[1], t->other);
        break;
#endif
    case __NR_truncate: path_at(tid, AT_FDCWD, a[0], t->path); break;
    case __NR_openat: case __NR_unlinkat: case __NR_mkdirat: path_at(tid, (int)a[0], a[1], t->path); break;
    case __NR_symlinkat: path_at(tid, (int)a[1], a[2], t->other); break;
    case __NR_renameat: case __NR_renameat2: case __NR_linkat:
        path_at(tid, (int)a[0], a[1], t->path);
        path_at(tid, (int)a[2], a[3], t->other);
        break;
    }
    t->existed = t->path[0] && lstat(t->path, &about) == 0;
}

static void opened(struct task *t, int flags) {
    const char *path = below(t->path);
    if (!path || (flags & O_TMPFILE) == O_TMPFILE) return;
    if (!t->existed) note("create\t%s\n", path);
    else if (flags & O_TRUNC) note("truncate\t%s\t0\n", path);
}

/* Calls that name files by path. */
static int left_named(struct task *t) {
    const __u64 *a = t->args;
    const char *path = below(t->path), *other = below(t->other);
    switch (t->nr) {
#ifdef __NR_open
    case __NR_open: if (a[1] & (O_CREAT | O_TRUNC)) opened(t, (int)a[1]); return 1;
    case __NR_creat: opened(t, O_CREAT | O_TRUNC); return 1;
    case __NR_unlink: if (path) note("unlink\t%s\n", path); return 1;
    case __NR_rmdir: if (path) note("rmdir\t%s\n", path); return 1;
    case __NR_mkdir: if (path) note("mkdir\t%s\n", path); return 1;
    case __NR_link: case __NR_symlink: if (other) note("unsupported\tlink\n"); return 1;
    case __NR_rename:
#endif
    case __NR_renameat: case __NR_renameat2:
        if (path && other && t->nr != __NR_renameat2) note("rename\t%s\t%s\n", path, other);
        else if (path && other && !(a[4] & ~1ULL)) note("rename\t%s\t%s\n", path, other);
        else if (path || other) note("unsupported\trename\n");
        return 1;
    case __NR_openat: if (a[2] & (O_CREAT | O_TRUNC)) opened(t, (int)a[2]); return 1;
    case __NR_unlinkat: if (path) note("%s\t%s\n", a[2] & AT_REMOVEDIR ? "rmdir" : "unlink", path); return 1;
    case __NR_mkdirat: if (path) note("mkdir\t%s\n", path); return 1;
    case __NR_linkat: case __NR_symlinkat: if (other) note("unsupported\tlink\n"); return 1;
    case __NR_truncate: if (path) note("truncate\t%s\t%llu\n", path, a[1]); return 1;
    }
    return 0;
}

/* Calls that name files by descriptor. */
static void left_open(struct task *t, pid_t tid, long long result) {
    const __u64 *a = t->args;
    int fd = (int)(t->nr == __NR_copy_file_range ? a[2] : a[0]);
    path_of_fd(tid, fd, t->path);
    const char *path = t->nr == __NR_sync ? "" : below(t->path);
    if (!path) return;
    size_t n = (size_t)result;
    switch (t->nr) {
    case __NR_write: wrote(tid, path, position(tid, fd) - result, a[1], 0, n); break;
    case __NR_pwrite64: wrote(tid, path, (long long)a[3], a[1], 0, n); break;
    case __NR_writev: wrote(tid, path, position(tid, fd) - result, a[1], a[2], n); break;
    case __NR_pwritev: case __NR_pwritev2: wrote(tid, path, (long long)a[3], a[1], a[2], n); break;
    case __NR_ftruncate: note("truncate\t%s\t%llu\n", path, a[1]); break;
    case __NR_fsync: case __NR_fdatasync: note("sync\t%s\n", path); break;
    case __NR_sync: case __NR_syncfs: note("unsupported\tsync of everything\n"); break;
    case __NR_fallocate: note("unsupported\tfallocate\n"); break;
    case __NR_copy_file_range:
        if (a[3]) note("unsupported\tcopy_file_range with an offset\n");
        else copied(tid, fd, path, position(tid, fd) - result, n);
        break;
    case __NR_sendfile: copied(tid, fd, path, position(tid, fd) - result, n); break;
    }
}

static void stopped(pid_t tid, int is_entry) {
    struct task *t = task_of(tid);
    struct call info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) < 0) return;
    if (is_entry && info.op == PTRACE_SYSCALL_INFO_SECCOMP) {
        t->nr = info.at.entry.nr;
        memcpy(t->args, info.at.entry.args, sizeof t->args);
        t->is_inside = 1;
        enter(t, tid);
    } else if (!is_entry && info.op == PTRACE_SYSCALL_INFO_EXIT && t->is_inside) {
        t->is_inside = 0;
        if (info.at.exit.rval >= 0 && !left_named(t)) left_open(t, tid, info.at.exit.rval);
    }
}

/* Only the watched calls stop; all others run at full speed. */
static void watch_self(void) {
    struct sock_filter filter[WATCHED + 3];
    filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < WATCHED; i++)
        filter[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, watched[i], WATCHED - i, 0);
    filter[WATCHED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[WATCHED + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    struct sock_fprog program = {WATCHED + 3, filter};
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0) die("ptrace is not permitted");
    raise(SIGSTOP);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        die("seccomp is not permitted");
}

int main(int count, char **words) {
    if (count < 4 || !realpath(words[1], root)) die("usage: recorder ROOT LOG COMMAND...");
    if (!(out = fopen(words[2], "we"))) die(words[2]);
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        watch_self();
        execv(words[3], words + 3);
        die(words[3]);
    }
    int status, code = 70;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) die("the command did not start");
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, child, 0, options) < 0) die("ptrace is not permitted");
    ptrace(PTRACE_CONT, child, 0, 0);
    for (pid_t tid; (tid = waitpid(-1, &status, __WALL)) > 0;) {
        if (!WIFSTOPPED(status)) {
            if (tid == child) code = WIFEXITED(status) ? WEXITSTATUS(status) : 71;
            task_of(tid)->tid = 0;
            continue;
        }
        int signal = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_SECCOMP) {
            stopped(tid, 1);
            ptrace(PTRACE_SYSCALL, tid, 0, 0);
            continue;
        }
        if (signal == (SIGTRAP | 0x80)) stopped(tid, 0);
        int is_ours = event || signal == (SIGTRAP | 0x80) || signal == SIGTRAP || signal == SIGSTOP;
        ptrace(PTRACE_CONT, tid, 0, is_ours ? 0 : signal);
    }
    if (fclose(out)) die("log");
    return code;
}
