/*
 * cpu.c - CPU features and the number of CPUs, asked of the machine and the operating system
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "runtime/cpu.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* ---- Instructions: Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID and XGETBV ---- */

enum {
	LEAF1_ECX_FMA = 12,
	LEAF1_ECX_OSXSAVE = 27, /* XGETBV may be executed */
	LEAF1_ECX_AVX = 28,
	LEAF1_ECX_F16C = 29,

	LEAF7_EBX_AVX2 = 5,
	LEAF7_EBX_AVX512F = 16,
	LEAF7_EBX_AVX512DQ = 17,
	LEAF7_EBX_AVX512BW = 30,
	LEAF7_EBX_AVX512VL = 31,
};

/* Register states that the operating system saves and restores. */
#define XCR0_YMM (1u << 1 | 1u << 2)                      /* XMM and the upper halves of YMM */
#define XCR0_ZMM (XCR0_YMM | 1u << 5 | 1u << 6 | 1u << 7) /* and masks, upper halves of ZMM0-15, ZMM16-31 */

static bool has_bit(uint32_t word, unsigned bit)
{
	return (word >> bit & 1) != 0;
}

unsigned rstd__cpu_decode(const struct rstd__cpu_words *words)
{
	const uint32_t leaf7 = words->max_leaf >= 7 ? words->leaf7_ebx : 0;
	unsigned features = 0;

	if (!has_bit(words->leaf1_ecx, LEAF1_ECX_OSXSAVE) || !has_bit(words->leaf1_ecx, LEAF1_ECX_AVX) ||
	    (words->xcr0 & XCR0_YMM) != XCR0_YMM)
		return 0;
	if (has_bit(leaf7, LEAF7_EBX_AVX2))
		features |= RSTD__CPU_AVX2;
	if (has_bit(words->leaf1_ecx, LEAF1_ECX_FMA))
		features |= RSTD__CPU_FMA;
	if (has_bit(words->leaf1_ecx, LEAF1_ECX_F16C))
		features |= RSTD__CPU_F16C;
	if (has_bit(leaf7, LEAF7_EBX_AVX512F) && has_bit(leaf7, LEAF7_EBX_AVX512DQ) &&
	    has_bit(leaf7, LEAF7_EBX_AVX512BW) && has_bit(leaf7, LEAF7_EBX_AVX512VL) &&
	    (words->xcr0 & XCR0_ZMM) == XCR0_ZMM)
		features |= RSTD__CPU_AVX512;
	return features;
}

#if defined(__x86_64__)

static uint64_t read_xcr0(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

static unsigned ask_features(void)
{
	struct rstd__cpu_words words = { 0 };
	uint32_t eax, ebx, ecx, edx;

	words.max_leaf = (uint32_t)__get_cpuid_max(0, NULL);
	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		words.leaf1_ecx = ecx;
	if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		words.leaf7_ebx = ebx;
	if (has_bit(words.leaf1_ecx, LEAF1_ECX_OSXSAVE))
		words.xcr0 = read_xcr0();
	return rstd__cpu_decode(&words);
}

#elif defined(__aarch64__)

static unsigned ask_features(void)
{
	return RSTD__CPU_NEON;
}

#endif

unsigned rstd__cpu_features(void)
{
	static atomic_uint answer;
	const unsigned known = 1u << 31; /* tells an answer of no features from no answer yet */
	unsigned features = atomic_load_explicit(&answer, memory_order_relaxed);

	/* Threads that come here at once all find the same word, and nothing else hangs on it. */
	if (features == 0) {
		features = ask_features() | known;
		atomic_store_explicit(&answer, features, memory_order_relaxed);
	}
	return features & ~known;
}

/* ---- The number of CPUs ---- */

/* A control group hierarchy that can limit CPU time: cgroup-v2 and cgroup-v1/cpu of the kernel's documentation. */
struct hierarchy {
	const char *mount;
	const char *quota;  /* file that starts with the microseconds granted per period; not a number: no limit */
	const char *period; /* file with the period; NULL: it follows in the quota's file */
};

static const struct hierarchy cgroup_v2 = { "/sys/fs/cgroup", "cpu.max", NULL };
static const struct hierarchy cgroup_v1 = { "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "cpu.cfs_period_us" };

/* Reads a small file as a string, cut to size - 1 characters. False when it cannot be read. */
static bool read_text(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return false;
	while ((got = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	close(fd);
	text[used] = '\0';
	return got == 0;
}

/* Reads dir/file, which must hold a few numbers only. */
static bool read_numbers(const char *dir, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	const int length = snprintf(path, sizeof(path), "%s/%s", dir, file);

	return length > 0 && (size_t)length < sizeof(path) && read_text(path, text, size);
}

/* The limit of one control group in CPUs, rounded up; INT_MAX without one. */
static int group_limit(const struct hierarchy *h, const char *dir)
{
	char text[64];
	char *end;
	long long quota, period, cpus;

	if (!read_numbers(dir, h->quota, text, sizeof(text)))
		return INT_MAX;
	quota = strtoll(text, &end, 10);
	if (end == text || quota <= 0)
		return INT_MAX;
	if (h->period) {
		if (!read_numbers(dir, h->period, text, sizeof(text)))
			return INT_MAX;
		end = text;
	}
	period = strtoll(end, NULL, 10);
	if (period <= 0)
		return INT_MAX;
	cpus = quota / period + (quota % period != 0);
	return cpus < INT_MAX ? (int)cpus : INT_MAX;
}

/*
 * The smallest limit of a group and its ancestors. Inside a container the path may be the host's, of which only the
 * upper end exists here; missing files are no limit, so going up finds the container's own group at the mount point.
 */
static int path_limit(const struct hierarchy *h, const char *root, const char *group)
{
	char dir[PATH_MAX];
	const int length = snprintf(dir, sizeof(dir), "%s%s%s", root, h->mount, group);
	const size_t top = strlen(root) + strlen(h->mount);
	int limit = INT_MAX;

	if (length < 0 || (size_t)length >= sizeof(dir))
		return INT_MAX;
	for (;;) {
		const int here = group_limit(h, dir);

		if (here < limit)
			limit = here;
		if (strlen(dir) <= top)
			return limit;
		*strrchr(dir, '/') = '\0';
	}
}

/* Whether a comma-separated list, which ends at end, has the word "cpu". */
static bool lists_cpu(const char *list, const char *end)
{
	while (list < end) {
		const size_t length = strcspn(list, ",:");

		if (length == 3 && memcmp(list, "cpu", 3) == 0)
			return true;
		list += length + 1;
	}
	return false;
}

int rstd__cpu_quota(const char *root)
{
	char path[PATH_MAX], text[8192];
	const int length = snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	int limit = INT_MAX;

	if (length < 0 || (size_t)length >= sizeof(path) || !read_text(path, text, sizeof(text)))
		return INT_MAX;
	/* Each line is "id:controllers:/path"; version 2 has no controllers. */
	for (char *rest, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *controllers = strchr(line, ':');
		const char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		int here = INT_MAX;

		if (!group || group[1] != '/')
			continue;
		if (group == controllers + 1)
			here = path_limit(&cgroup_v2, root, group + 1);
		else if (lists_cpu(controllers + 1, group))
			here = path_limit(&cgroup_v1, root, group + 1);
		if (here < limit)
			limit = here;
	}
	return limit;
}

int rstd__cpu_count(void)
{
	cpu_set_t allowed[8]; /* 8192 CPUs, the most that an x86 kernel is built for; a smaller set may be refused */
	const int quota = rstd__cpu_quota("");
	int count;

	if (sched_getaffinity(0, sizeof(allowed), allowed) != 0)
		return 1;
	count = CPU_COUNT_S(sizeof(allowed), allowed);
	return count < quota ? count : quota;
}
