/*
 * process.c - beginning and ending the use of the runtime, versions, attributes, settings of the process, the log
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * aclInit() is counted, and nothing else: devices are set and reset by functions of their own, as on an NPU, and what
 * needs a device says so by ACL_ERROR_RT_CONTEXT_NULL.
 */
#include "cann/acl/process.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "cann/acl/device.h"
#include "cann/acl/error.h"
#include "cann/product.h"

static struct {
	pthread_mutex_t lock; /* guards what follows; no other is taken under it */
	uint64_t uses;        /* calls of aclInit() that were not taken back */
	bool finalized;       /* there were some, and all were taken back */
	char *config;         /* the settings that are in force while uses is not 0; NULL: none */
} process = { .lock = PTHREAD_MUTEX_INITIALIZER };

void rstd__process_lock(void)
{
	pthread_mutex_lock(&process.lock);
}

void rstd__process_unlock(void)
{
	pthread_mutex_unlock(&process.lock);
}

/* ---- The file with settings ---- */

#define MAX_CONFIG ((size_t)10 << 20) /* bytes */
#define MAX_DEPTH  64                 /* of brackets in it */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind a string whose first quote is at text; NULL when it does not end. */
static const char *skip_string(const char *text)
{
	for (text++; *text != '\0' && *text != '"'; text++) {
		if (*text == '\\' && *++text == '\0')
			return NULL;
	}
	return *text == '"' ? text + 1 : NULL;
}

/*
 * Whether a text is one object whose strings end and whose brackets close in order. The settings are for NPUs and are
 * not looked at.
 */
static bool is_object(const char *text)
{
	char open[MAX_DEPTH];
	size_t depth = 0;

	while (is_space(*text))
		text++;
	if (*text != '{')
		return false;
	do {
		const char c = *text;

		if (c == '\0')
			return false;
		if (c == '"') {
			text = skip_string(text);
			if (text == NULL)
				return false;
			continue;
		}
		text++;
		if (c == '{' || c == '[') {
			if (depth == MAX_DEPTH)
				return false;
			open[depth++] = c;
		} else if (c == '}' || c == ']') {
			if (open[--depth] != (c == '}' ? '{' : '['))
				return false;
		}
	} while (depth > 0);
	while (is_space(*text))
		text++;
	return *text == '\0';
}

/* Drops white space outside strings, so that settings which differ in nothing else are the same. */
static void squeeze(char *text)
{
	const char *from = text;

	while (*from != '\0') {
		if (*from == '"') {
			const char *const end = skip_string(from);

			memmove(text, from, (size_t)(end - from));
			text += end - from;
			from = end;
		} else {
			if (!is_space(*from))
				*text++ = *from;
			from++;
		}
	}
	*text = '\0';
}

static aclError refuse_file(const char *path, const char *why)
{
	return rstd__acl_fail(ACL_ERROR_INVALID_FILE, "configPath: %s %s", path, why);
}

/* The whole of a file as a text, which the caller frees. */
static aclError read_file(FILE *file, const char *path, char **text)
{
	char *const buffer = malloc(MAX_CONFIG + 1);

	if (buffer == NULL)
		return rstd__acl_no_memory("the settings");
	const size_t length = fread(buffer, 1, MAX_CONFIG + 1, file);
	if (ferror(file) || length > MAX_CONFIG) {
		free(buffer);
		return refuse_file(path, "cannot be read, or has more than 10 MiB");
	}
	buffer[length] = '\0';
	*text = buffer; /* the pages behind the text were never touched, and cost nothing */
	return ACL_SUCCESS;
}

/* The settings of a file; NULL for the default ones, whether no file is named or it holds none. */
static aclError read_config(const char *path, char **config)
{
	*config = NULL;
	if (path == NULL || path[0] == '\0')
		return ACL_SUCCESS;
	FILE *const file = fopen(path, "re");
	if (file == NULL)
		return refuse_file(path, "cannot be opened");
	const aclError code = read_file(file, path, config);
	fclose(file);
	if (code != ACL_SUCCESS)
		return code;
	if (!is_object(*config)) {
		free(*config);
		*config = NULL;
		return refuse_file(path, "is no JSON object");
	}
	squeeze(*config);
	if (strcmp(*config, "{}") == 0) {
		free(*config);
		*config = NULL;
	}
	return ACL_SUCCESS;
}

/* ---- Beginning and ending ---- */

static bool same_config(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Under the lock. Takes the settings over when it sets *config to NULL. */
static aclError begin(char **config)
{
	if (process.uses > 0 && !same_config(process.config, *config))
		return rstd__acl_fail(
			ACL_ERROR_INVALID_PARAM,
			"configPath: has other settings than those that are in force since the first call");
	if (process.uses++ > 0)
		return rstd__acl_fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit() was called before, now %" PRIu64 " times",
		                      process.uses);
	process.config = *config;
	*config = NULL;
	return ACL_SUCCESS;
}

aclError aclInit(const char *configPath)
{
	const rstd__product *product;
	char *config;
	aclError code = rstd__device_product(&product);

	if (code == ACL_SUCCESS)
		code = read_config(configPath, &config);
	if (code != ACL_SUCCESS)
		return code;
	rstd__process_lock();
	code = begin(&config);
	rstd__process_unlock();
	free(config);
	return code;
}

/* Under the lock. */
static void end_use(uint64_t uses)
{
	process.uses = uses;
	if (uses > 0)
		return;
	process.finalized = true;
	free(process.config);
	process.config = NULL;
}

static aclError refuse_end(void)
{
	return rstd__acl_fail(ACL_ERROR_REPEAT_FINALIZE, "every aclInit() was taken back before");
}

aclError aclFinalize(void)
{
	aclError code = ACL_SUCCESS;

	rstd__process_lock();
	if (process.uses > 0)
		end_use(0);
	else if (process.finalized)
		code = refuse_end();
	rstd__process_unlock();
	return code;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
	aclError code = ACL_SUCCESS;

	rstd__process_lock();
	if (process.uses > 0)
		end_use(process.uses - 1);
	else
		code = refuse_end();
	if (refCount != NULL)
		*refCount = process.uses;
	rstd__process_unlock();
	return code;
}

/* ---- Versions: of all packages that of the interface ---- */

#define TEXT(number)  #number
#define VALUE(number) TEXT(number)
#define VERSION       VALUE(ACL_MAJOR_VERSION) "." VALUE(ACL_MINOR_VERSION) "." VALUE(ACL_PATCH_VERSION)

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
	if (majorVersion == NULL)
		return rstd__acl_null("majorVersion");
	if (minorVersion == NULL)
		return rstd__acl_null("minorVersion");
	if (patchVersion == NULL)
		return rstd__acl_null("patchVersion");
	*majorVersion = ACL_MAJOR_VERSION;
	*minorVersion = ACL_MINOR_VERSION;
	*patchVersion = ACL_PATCH_VERSION;
	return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
	if (version == NULL)
		return rstd__acl_null("version");
	if ((unsigned)name > ACL_PKG_NAME_DRIVER)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "name: is %d, allowed are 0 to %d", (int)name,
		                      (int)ACL_PKG_NAME_DRIVER);
	*version = (aclCANNPackageVersion){
		.version = VERSION,
		.majorVersion = VALUE(ACL_MAJOR_VERSION),
		.minorVersion = VALUE(ACL_MINOR_VERSION),
		.releaseVersion = VALUE(ACL_PATCH_VERSION),
	};
	return ACL_SUCCESS;
}

static aclError check_package(const char *name)
{
	static const char *const names[] = {
		"cann",   "runtime",  "compiler", "hccl",   "toolkit", "opp",     "opp_kernel", "driver",
		"opbase", "ops_math", "ops-math", "ops_nn", "ops-nn",  "metadef", "ge",
	};

	if (name == NULL)
		return rstd__acl_null("pkgName");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return ACL_SUCCESS;
	}
	return rstd__acl_fail(ACL_ERROR_INVALID_PARAM,
	                      "pkgName: is \"%.64s\", which is no package that rstd stands for", name);
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
	if (versionStr == NULL)
		return rstd__acl_null("versionStr");
	const aclError code = check_package(pkgName);
	if (code == ACL_SUCCESS)
		memcpy(versionStr, VERSION, sizeof(VERSION));
	return code;
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
	if (versionNum == NULL)
		return rstd__acl_null("versionNum");
	const aclError code = check_package(pkgName);
	if (code == ACL_SUCCESS)
		*versionNum = ACL_MAJOR_VERSION * 10000000 + ACL_MINOR_VERSION * 100000 + ACL_PATCH_VERSION * 1000;
	return code;
}

/* ---- Attributes ---- */

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
	static const aclCannAttr all[] = { ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE };

	if (cannAttrList == NULL)
		return rstd__acl_null("cannAttrList");
	if (num == NULL)
		return rstd__acl_null("num");
	*cannAttrList = all;
	*num = sizeof(all) / sizeof(all[0]);
	return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
	if (value == NULL)
		return rstd__acl_null("value");
	if (cannAttr != ACL_CANN_ATTR_INF_NAN && cannAttr != ACL_CANN_ATTR_BF16 &&
	    cannAttr != ACL_CANN_ATTR_JIT_COMPILE)
		return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "cannAttr: is %d, allowed are 0 to 2", (int)cannAttr);
	const rstd__product *const product = rstd__product_current();
	/* The chips that know bfloat16 are those that know infinities and NaN. */
	*value = cannAttr != ACL_CANN_ATTR_JIT_COMPILE && product != NULL && product->family->bf16;
	return ACL_SUCCESS;
}

/* ---- Settings ---- */

#define SETTINGS (ACL_OPT_ENABLE_KERNEL_EARLY_START + 1)

static rstd__setting settings[SETTINGS];

void rstd__setting_set(rstd__setting *setting, int64_t value)
{
	atomic_store(&setting->value, value);
	atomic_store(&setting->set, true);
}

aclError rstd__setting_get(const rstd__setting *setting, aclSysParamOpt opt, int64_t *value)
{
	if (!atomic_load(&setting->set))
		return rstd__acl_fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt: %d was never set", (int)opt);
	*value = atomic_load(&setting->value);
	return ACL_SUCCESS;
}

static aclError check_setting(aclSysParamOpt opt)
{
	if ((unsigned)opt < SETTINGS)
		return ACL_SUCCESS;
	return rstd__acl_fail(ACL_ERROR_INVALID_PARAM, "opt: is %d, allowed are 0 to %d", (int)opt, SETTINGS - 1);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	const aclError code = check_setting(opt);

	if (code == ACL_SUCCESS)
		rstd__setting_set(&settings[opt], value);
	return code;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	if (value == NULL)
		return rstd__acl_null("value");
	const aclError code = check_setting(opt);
	/* 0 if it was never set: only a context says so. */
	if (code == ACL_SUCCESS)
		*value = atomic_load(&settings[opt].value);
	return code;
}

/* ---- The log ---- */

#define MAX_LINE 1024 /* bytes, the end included */

/* The least level that is printed, more than any if nothing is. Users of CANN know the two variables. */
static int log_threshold(void)
{
	const char *const print = getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
	const char *const level = getenv("ASCEND_GLOBAL_LOG_LEVEL");

	if (print == NULL || strcmp(print, "1") != 0)
		return ACL_ERROR + 1;
	if (level != NULL && level[0] >= '0' && level[0] <= '4' && level[1] == '\0')
		return level[0] - '0';
	return ACL_ERROR;
}

void aclAppLog(aclLogLevel level, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
	static const char *const names[] = { "DEBUG", "INFO", "WARNING", "ERROR" };
	char text[MAX_LINE];
	va_list args;

	if (fmt == NULL || (unsigned)level > ACL_ERROR || (int)level < log_threshold())
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	printf("[%s] APP(%ld):[%s:%" PRIu32 "] %s: %s\n", names[level], (long)getpid(), file != NULL ? file : "?", line,
	       func != NULL ? func : "?", text);
}
