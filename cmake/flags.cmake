# flags.cmake - rstd_flags: how every C file of this tree is compiled
#
# SPDX-License-Identifier: Apache-2.0

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

add_library(rstd_flags INTERFACE)

# A contracted a * b + c rounds once where the error bounds count two roundings, or the other way about in an
# error-free transformation. The kernels ask for fused operations by name. Nobody reads errno after sqrt(): without it
# that is one instruction.
target_compile_options(rstd_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-ffp-contract=off;-fno-math-errno>)

# A part of a project that has chosen no build type is fast nevertheless.
target_compile_options(rstd_flags INTERFACE $<$<CONFIG:>:-O3>)

target_compile_options(rstd_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wvla -Wundef -Wdouble-promotion
	-Wcast-qual -Wpointer-arith $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
if(RSTD_WERROR)
	target_compile_options(rstd_flags INTERFACE -Werror)
endif()

if(RSTD_SANITIZE)
	set(sanitize -fsanitize=${RSTD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_compile_options(rstd_flags INTERFACE ${sanitize})
	target_link_options(rstd_flags INTERFACE ${sanitize})
endif()
