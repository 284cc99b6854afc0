#!/bin/sh
# The guest's first process: mounts what a system has, makes the pins, runs one of our modules, and switches off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/build/libcamera/source/b/src/py
mount -t proc proc /proc
mount -t sysfs sys /sys
mkdir -p /dev/shm
for place in /dev/shm /run /tmp; do mount -t tmpfs tmpfs "$place"; done
mount -t configfs config /sys/kernel/config
ip link set lo up

mkdir /tmp/strada
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro strada /tmp/strada

# As many pins as a Pi 4 has, and gpiozero is told that it is one.
modprobe gpio-sim
pins=/sys/kernel/config/gpio-sim/pi
mkdir "$pins" "$pins/bank"
echo 54 > "$pins/bank/num_lines"
echo pinctrl-bcm2711 > "$pins/bank/label"
echo 1 > "$pins/live"
printf 'Revision\t: c03114\n' > /tmp/cpuinfo
mount --bind /tmp/cpuinfo /proc/cpuinfo

# picamera2 wants the Pi's own memory for pictures; this kernel's is as good.
ln -s system /dev/dma_heap/linux,cma

cd /tmp/strada
# shellcheck disable=SC2046 # the words of one module's name and its arguments
python3 -m $(sed -n 's/.*strada=\([^ ]*\).*/\1/p' /proc/cmdline)
sync
echo o > /proc/sysrq-trigger
sleep 10
