//! System call filters (seccomp(2)): the calls that a process still needs; all others fail with `EPERM`.
//!
//! Reference: seccomp(2), and `Documentation/userspace-api/seccomp_filter.rst` of Linux. The filter is a program of
//! classic BPF over `struct seccomp_data`: it compares the architecture, then the number of the call with each of the
//! list.

use super::checked;
use std::io;

/// The process to which the filter applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterScope {
    /// Forwards packets over descriptors that are open: opens no file, no socket, starts nothing.
    Forwarder,
    /// Ends the forwarder and removes its folder: starts nothing, connects nowhere, gains no rights.
    Keeper,
}

/// `AUDIT_ARCH_*` of the processor; `None` where no filter is known.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// Offsets in `struct seccomp_data`.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
/// Numbers from here on are those of the x32 ABI, of which there are none on the lists.
const X32: u32 = 0x4000_0000;

/// Calls of a process that moves packets, and of an interpreter that ends.
const FORWARDER: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_fsync,
    libc::SYS_ppoll,
    libc::SYS_recvmsg,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_shutdown,
    libc::SYS_getsockopt,
    libc::SYS_setsockopt,
    libc::SYS_fcntl,
    libc::SYS_ioctl,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_tgkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Additional calls of a keeper: it waits, kills, removes a folder, and turns GRO on again.
const KEEPER: &[libc::c_long] = &[
    libc::SYS_kill,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_pidfd_send_signal,
    libc::SYS_openat,
    libc::SYS_getdents64,
    libc::SYS_unlinkat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_socket,
    libc::SYS_bind,
    libc::SYS_getsockname,
    libc::SYS_dup,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
];

/// Older forms of calls on the lists, which only some processors have.
#[cfg(target_arch = "x86_64")]
const OLDER: &[libc::c_long] = &[libc::SYS_poll];
#[cfg(target_arch = "x86_64")]
const KEEPER_OLDER: &[libc::c_long] = &[
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_open,
    libc::SYS_unlink,
    libc::SYS_rmdir,
    libc::SYS_readlink,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[libc::c_long] = &[];
#[cfg(not(target_arch = "x86_64"))]
const KEEPER_OLDER: &[libc::c_long] = &[];

/// Filters the system calls of this process until it ends. Returns false where the kernel or the processor has no
/// filters.
///
/// It needs `PR_SET_NO_NEW_PRIVS`, which [`super::drop_capabilities`] sets.
///
/// # Errors
/// Errors of seccomp(2).
pub fn filter_calls(role: FilterScope) -> io::Result<bool> {
    let Some(architecture) = ARCHITECTURE else { return Ok(false) };
    let program = program(architecture, &calls(role));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    let (set, together) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_TSYNC);
    // SAFETY: the program lives through the call, which copies it; `len` is its length.
    let done = checked(unsafe { libc::syscall(libc::SYS_seccomp, set, together, &filter) } as i32);
    match done {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The numbers of the calls that a process may make.
fn calls(role: FilterScope) -> Vec<u32> {
    let more = match role {
        FilterScope::Forwarder => [&[][..], &[]],
        FilterScope::Keeper => [KEEPER, KEEPER_OLDER],
    };
    [FORWARDER, OLDER].into_iter().chain(more).flatten().map(|number| *number as u32).collect()
}

/// The program: another architecture ends the process, a call that is not on the list fails.
fn program(architecture: u32, calls: &[u32]) -> Vec<libc::sock_filter> {
    let load = |at| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at);
    let back = |action| statement(libc::BPF_RET | libc::BPF_K, action);
    let mut list = vec![
        load(ARCHITECTURE_AT),
        jump(libc::BPF_JEQ, architecture, 1, 0),
        back(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER_AT),
        jump(libc::BPF_JGE, X32, 0, 1),
        back(libc::SECCOMP_RET_KILL_PROCESS),
    ];
    for call in calls {
        list.extend([jump(libc::BPF_JEQ, *call, 0, 1), back(libc::SECCOMP_RET_ALLOW)]);
    }
    list.push(back(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32));
    list
}

fn statement(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

fn jump(test: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Result of a filter program for a call, executed by hand.
    fn verdict(program: &[libc::sock_filter], architecture: u32, number: u32) -> u32 {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let line = program[at];
            at += 1;
            match u32::from(line.code) & 0x07 {
                libc::BPF_LD => loaded = if line.k == ARCHITECTURE_AT { architecture } else { number },
                libc::BPF_RET => return line.k,
                _ => {
                    let holds = match u32::from(line.code) & 0xf0 {
                        libc::BPF_JEQ => loaded == line.k,
                        _ => loaded >= line.k,
                    };
                    at += usize::from(if holds { line.jt } else { line.jf });
                }
            }
        }
    }

    #[test]
    fn only_listed_calls_of_this_architecture_pass() {
        let ours = 0xc000_003e;
        let list = program(ours, &calls(FilterScope::Forwarder));
        let refused = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
        for allowed in calls(FilterScope::Forwarder) {
            assert_eq!(verdict(&list, ours, allowed), libc::SECCOMP_RET_ALLOW);
            assert_eq!(verdict(&list, ours + 1, allowed), libc::SECCOMP_RET_KILL_PROCESS);
            assert_eq!(verdict(&list, ours, allowed | X32), libc::SECCOMP_RET_KILL_PROCESS);
        }
        for call in
            [libc::SYS_execve, libc::SYS_openat, libc::SYS_socket, libc::SYS_connect, libc::SYS_ptrace]
        {
            assert_eq!(verdict(&list, ours, call as u32), refused, "{call}");
        }
    }

    #[test]
    fn a_keeper_may_remove_files_but_starts_nothing() {
        let list = program(1, &calls(FilterScope::Keeper));
        assert_eq!(verdict(&list, 1, libc::SYS_unlinkat as u32), libc::SECCOMP_RET_ALLOW);
        for call in [libc::SYS_execve, libc::SYS_clone, libc::SYS_connect, libc::SYS_listen, libc::SYS_setns]
        {
            assert_eq!(verdict(&list, 1, call as u32) & 0xffff_0000, libc::SECCOMP_RET_ERRNO, "{call}");
        }
    }

    /// In a child process, because a filter cannot be removed.
    #[test]
    fn a_filtered_process_opens_nothing() {
        // SAFETY: the child only makes system calls and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let confined =
                super::super::drop_capabilities(false).and_then(|()| filter_calls(FilterScope::Forwarder));
            let opened = std::fs::File::open("/dev/null").is_ok();
            let code = match confined {
                Ok(true) => i32::from(opened),
                Ok(false) => 0,
                Err(_) => 2,
            };
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: `status` lives through the call.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status:x}");
    }
}
