#!/bin/sh
# tests/quickstart.sh - does ./quickstart see the GPU that clinfo tells of, and cut the CPU where there is none?
set -eu
: "${top_srcdir:?is set by make check}"
command -v bash >/dev/null || { echo 'bash is not installed'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# A clinfo that tells of a device, then of so much else that who stops reading breaks its pipe.
cat >"$work/clinfo" <<'END'
#!/bin/sh
[ "$1" = --raw ] || exit 1
echo "[FAKE/0]    CL_DEVICE_TYPE                                  $TYPE"
i=0
while [ $i -lt 5000 ]; do
	echo "[FAKE/0]    CL_DEVICE_EXTENSIONS                            cl_khr_$i" || exit 1
	i=$((i + 1))
done
END
chmod +x "$work/clinfo"

{
	sed -n 's/^set -.*/&/p; /^choose_devices()/,/^}/p' "$top_srcdir/quickstart"
	echo 'choose_devices >/dev/null'
	# shellcheck disable=SC2016  # for that script
	echo 'echo "${HETERO_DEVICES:-every device}"'
} >"$work/choose"

# chooses WANTED TYPE [HETERO_DEVICES]
chooses()
{
	said=$(env PATH="$work:$PATH" TYPE="$2" HETERO_DEVICES="${3-}" bash "$work/choose") || said="exit status $?"
	[ "$said" = "$1" ] || { echo "with $2 ${3-}: $said instead of $1"; status=1; }
}

chooses 'every device' CL_DEVICE_TYPE_GPU
chooses 'pocl:cpu/1' CL_DEVICE_TYPE_CPU
chooses 'rusticl' CL_DEVICE_TYPE_CPU rusticl
exit $status
