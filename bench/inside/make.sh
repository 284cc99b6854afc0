#!/bin/sh
# Makes the guest's system, in its root: packages, the kernel's made-up pins, and libcamera with a made-up module.
# MIRROR is Debian's archive. What is done already is not done again, so that an interrupted run goes on.
set -eu
here=/guest work=/build
export DEBIAN_FRONTEND=noninteractive PIP_ROOT_USER_ACTION=ignore

done_already() { [ -e "$work/$1.done" ]; }
done_now() { touch "$work/$1.done"; }

packages() {
    # libcamera's source is sid's: trixie's own is older than the picamera2 of the day wants.
    echo "deb-src $MIRROR sid main" > /etc/apt/sources.list.d/source.list
    apt-get update -q
    apt-get install -q -y --no-install-recommends \
        linux-image-amd64 linux-headers-amd64 linux-source initramfs-tools kmod iproute2 make patch xz-utils \
        python3-pip python3-dev python3-numpy python3-pil python3-opencv python3-av python3-prctl python3-jsonschema \
        python3-tqdm swig meson ninja-build g++ pkgconf libyaml-dev libyuv-dev libgnutls28-dev openssl libevent-dev \
        libudev-dev python3-jinja2 python3-ply python3-yaml python3-pybind11 pybind11-dev libpython3-dev
    pip install --break-system-packages -q --no-deps picamera2==0.3.38 PiDNG piexif simplejpeg videodev2 \
        libarchive-c gpiozero==2.0.1.post3 colorzero
    # PyPI has lgpio for ARM alone; PYPI=1 has its own library built in.
    PYPI=1 pip install --break-system-packages -q lgpio==0.2.2.0
}

# Debian's kernels leave out gpio-sim: it is made from their own source, with the interrupts that it simulates.
pins() {
    version=$(basename /lib/modules/*)
    rm -rf "$work/gpio" && mkdir -p "$work/gpio"
    tar -xJf /usr/src/linux-source-*.tar.xz -C "$work/gpio" --strip-components=1 --wildcards \
        '*/drivers/gpio/*.[ch]' '*/kernel/irq/irq_sim.c'
    mkdir "$work/gpio/module"
    cp "$work/gpio/drivers/gpio/"*.h "$work/gpio/kernel/irq/irq_sim.c" "$work/gpio/module/"
    cp "$work/gpio/drivers/gpio/gpio-sim.c" "$work/gpio/module/pins.c"
    # What the kernel keeps to itself: a module may ask for the same by the interrupt's number.
    sed -i 's/handle_simple_irq(irq_to_desc(irqnum));/generic_handle_irq_safe(irqnum);/' "$work/gpio/module/irq_sim.c"
    printf 'obj-m := gpio-sim.o\ngpio-sim-y := pins.o irq_sim.o\n' > "$work/gpio/module/Kbuild"
    make -C "/lib/modules/$version/build" "M=$work/gpio/module" modules
    mkdir -p "/lib/modules/$version/extra"
    cp "$work/gpio/module/gpio-sim.ko" "/lib/modules/$version/extra/"
    depmod "$version"
}

# The root is a folder of the host's.
initrd() {
    printf '9p\n9pnet_virtio\nvirtio_pci\n' >> /etc/initramfs-tools/modules
    update-initramfs -u -k all
}

libcamera() {
    rm -rf "$work/libcamera" && mkdir -p "$work/libcamera"
    cd "$work/libcamera"
    apt-get source -q --download-only libcamera
    tar -xf libcamera_*.orig.tar.* --one-top-level=source --strip-components=1
    cd source
    patch -p1 < "$here/module.patch"
    meson setup b --buildtype=debugoptimized -Doptimization=1 -Dpipelines=virtual -Dipas= -Dpycamera=enabled \
        -Dcam=disabled -Dgstreamer=disabled -Dqcam=disabled -Dlc-compliance=disabled -Dtest=false \
        -Ddocumentation=disabled -Dv4l2=disabled -Dtracing=disabled -Dlibdw=disabled -Dlibunwind=disabled
    # It runs from where it is built: init.sh says where Python finds it.
    bindings=$(ninja -C b -t targets all | sed -n 's|^\(src/py/libcamera/_libcamera[^:]*\.so\):.*|\1|p')
    nice -n 10 ninja -C b "-j${JOBS:-1}" "$bindings"
}

mkdir -p "$work"
for step in packages pins initrd libcamera; do
    if ! done_already "$step"; then
        (set -eu; "$step")
        done_now "$step"
    fi
done
