"""Launches on the emulator, the simulated GPU and Intel's CPU device: arguments, arrays, queues, events, threads, lifetimes."""

import gc
import io
import sys
import threading

import numpy as np
import pytest

import wavec
from conftest import SAXPY, WORDS

N = 1000


def operands():
    return np.arange(N, dtype=np.float32), np.ones(N, np.float32)


def expected(a=2.0):
    x, y = operands()
    return (a * x.astype(np.float64) + y).astype(np.float32)


def test_arrays_of_the_host_are_copied_both_ways(saxpy):
    x, y = operands()
    assert saxpy.saxpy[4, 256](x=x, y=y, a=2.0, n=N) is None
    assert (y == expected()).all() and (x == operands()[0]).all()


def test_positional_arguments_and_the_declared_workgroup(saxpy):
    x, y = operands()
    saxpy["saxpy"][4](x, y, N, a=2)
    assert (y == expected()).all()


def test_the_rest_is_untouched(saxpy):
    x, y = operands()
    saxpy.saxpy[4](x, y, 10, 2.0)
    assert (y[:10] == expected()[:10]).all() and (y[10:] == 1).all()


def test_device_arrays(saxpy, device):
    x, y = operands()
    dx, dy = wavec.array(x, device=device), wavec.array(y, device=device)
    for _ in range(3):
        saxpy.saxpy[4](x=dx, y=dy, a=2.0, n=N)
    assert (dy.numpy() == 3 * (expected() - 1) + 1).all()
    assert (np.asarray(dx) == x).all()
    assert dy.shape == (N,) and dy.dtype == np.float32 and len(dy) == N


def test_mixed_arrays(saxpy, device):
    x, y = operands()
    saxpy.saxpy[4](x=wavec.array(x, device=device), y=y, a=2.0, n=N)
    assert (y == expected()).all()


def test_arrays_with_gaps(saxpy):
    x, y = np.zeros((N, 2), np.float32), np.ones((N, 3), np.float32)
    x[:, 1] = np.arange(N)
    saxpy.saxpy[4](x=x[:, 1], y=y[:, 1], a=2.0, n=N)
    assert (y[:, 1] == expected()).all() and (y[:, 0] == 1).all()


def test_the_same_array_twice(saxpy):
    y = np.arange(N, dtype=np.float32)
    saxpy.saxpy[4](x=y, y=y, a=2.0, n=N)
    assert (y == 3 * np.arange(N, dtype=np.float32)).all()


def test_overlap_is_refused(saxpy):
    y = np.zeros(2 * N, np.float32)
    with pytest.raises(ValueError, match="'x' and 'y' of saxpy overlap"):
        saxpy.saxpy[4](x=y[:N], y=y[N // 2:N // 2 + N], a=2.0, n=N)
    with pytest.raises(ValueError, match="'x' and 'y' of saxpy overlap"):
        saxpy.saxpy[4](x=y[::2], y=y[::3], a=2.0, n=N // 2)


def test_interleaved_arrays_do_not_overlap(saxpy):
    table = np.stack(operands(), axis=1)
    saxpy.saxpy[4](x=table[:, 0], y=table[:, 1], a=2.0, n=N)
    assert (table[:, 1] == expected()).all() and (table[:, 0] == operands()[0]).all()


@pytest.mark.parametrize("change, error, words", [
    (dict(x=np.zeros(N)), TypeError, r"argument 'x' of saxpy is a buffer of f32 \(float32\), not of float64"),
    (dict(x=[1.0]), TypeError, "argument 'x' of saxpy is an array, not list"),
    (dict(x=3), TypeError, "argument 'x' of saxpy is an array, not int"),
    (dict(n=-1), OverflowError, "argument 'n' of saxpy is u32: 0 to 4294967295, not -1"),
    (dict(n=2**32), OverflowError, "argument 'n'"),
    (dict(n=np.int64(-1)), OverflowError, "argument 'n'"),
    (dict(n=np.float32(3)), TypeError, "argument 'n' of saxpy is u32, not float32"),
    (dict(x=np.zeros(N, np.uint32)), TypeError, "not of uint32"),
    (dict(x=np.zeros(N, ">f4")), TypeError, r"argument 'x' of saxpy is a buffer of f32 \(float32\), not of >f4"),
    (dict(n=1.5), TypeError, "argument 'n' of saxpy is u32, not float"),
    (dict(a="2"), TypeError, "argument 'a' of saxpy is f32, not str"),
    (dict(a=np.zeros(1)), TypeError, "argument 'a' of saxpy is f32, not ndarray"),
    (dict(a=1e300), OverflowError, "too large"),
    (dict(b=1), TypeError, "saxpy has no argument 'b'; it takes x, y, n, a"),
])
def test_wrong_arguments(saxpy, change, error, words):
    x, y = operands()
    with pytest.raises(error, match=words):
        saxpy.saxpy[4](**{**dict(x=x, y=y, a=2.0, n=N), **change})
    assert (y == 1).all()


def test_wrong_numbers_of_arguments(saxpy):
    x, y = operands()
    with pytest.raises(TypeError, match="saxpy also takes n, a"):
        saxpy.saxpy[4](x, y)
    with pytest.raises(TypeError, match="'x' of saxpy is given twice"):
        saxpy.saxpy[4](x, y, x=x)
    with pytest.raises(TypeError, match=r"saxpy takes 4 arguments \(x, y, n, a\), not 5"):
        saxpy.saxpy[4](x, y, 1, 2, 3)


def test_read_only(saxpy):
    x, y = operands()
    x.flags.writeable = False
    saxpy.saxpy[4](x, y, N, 2.0)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="'y' of saxpy is written, and the array is read-only"):
        saxpy.saxpy[4](x, y, N, 2.0)


@pytest.mark.parametrize("grid", [0, -1, (1, 2, 3, 4), (), 1.5, (1, 0), 2**32])
def test_wrong_grids(saxpy, grid):
    with pytest.raises((ValueError, TypeError)):
        saxpy.saxpy[grid,](*operands(), N, 2.0)


def test_a_wrong_workgroup_is_reported(saxpy, device):
    with pytest.raises(wavec.DeviceError, match="the kernel declares workgroups of 256,1,1 threads, not 64,1,1"):
        saxpy.saxpy[4, 64](*operands(), N, 2.0)


def test_transfers_of_a_launch_that_fails_keep_their_arrays(saxpy, device, monkeypatch):
    """The copy of x is queued before the launch is refused; the device may still read it."""
    x, y = operands()
    monkeypatch.setattr(wavec.Event, "done", property(lambda event: False))
    with pytest.raises(wavec.DeviceError):
        saxpy.saxpy[4, 7](x=x, y=y, a=2.0, n=N)
    assert any(x is use.value for _, needed in device.queue._pending for use in needed[0])
    device.queue.wait()
    assert not device.queue._pending


def test_scalars_of_every_type(device):
    """Each value arrives as the ISA defines it: sign-extended below 32 bits, 64 bits as two words."""
    types = {"u8": (255, [255]), "i8": (-3, [2**32 - 3]), "u16": (65535, [65535]), "i16": (-3, [2**32 - 3]), "i32": (-1, [2**32 - 1]),
             "u64": (2**40 + 5, [5, 256]), "i64": (-2, [2**32 - 2, 2**32 - 1]), "f64": (1.5, [0, 0x3FF80000]), "f16": (1.5, [0x3E00]),
             "bf16": (1.0 + 2.0**-8 + 2.0**-9, [0x3F81]), "f32": (-0.0, [0x80000000])}
    source = ""
    for name, (_, words) in types.items():
        head = f".kernel k_{name}\n.registers 12\n.arg out buffer u32 out\n.arg v {name}\n"
        first = wavec.reflect(head + " halt\n.end\n")["kernels"][0]["arguments"][1]["first_word"]
        stores = [f" device_store_u32 r0, r{first + k}\n mov_imm r9, 4\n iadd r0, r0, r9\n" for k in range(len(words))]
        source += f"{head}{''.join(stores)} halt\n.end\n"
    module = wavec.load(source, device=device)
    for name, (value, words) in types.items():
        out = np.zeros(2, np.uint32)
        module["k_" + name][1, 1](out, value)
        assert list(out[:len(words)]) == words, name


def test_words_without_declarations(device):
    out = np.zeros(2, np.uint32)
    module = wavec.load(WORDS, device=device)
    module.words[1, 1](out, -1, 1.5)
    assert list(out) == [2**32 - 1, 0x3FC00000]
    with pytest.raises(TypeError, match="words takes 3 argument words, not 2"):
        module.words[1, 1](out, 1)
    with pytest.raises(TypeError, match="declares no arguments"):
        module.words[1, 1](out=out)


def test_signs_of_integers(device):
    """numpy's integers have a size: a negative one passes its bits where an unsigned integer of that size is declared."""
    source = ".kernel k\n.arg out buffer u32 out\n.arg v u32\n device_store_u32 r0, r1\n halt\n.end\n"
    out = np.zeros(1, np.int32)
    wavec.load(source, device=device).k[1, 1](out, np.int32(-5))
    assert out[0] == -5


def test_queues_and_events(saxpy, device):
    x, y = operands()
    first, second = wavec.Queue(device), wavec.Queue(device)
    dx, dy = wavec.array(x, device=device), wavec.array(y, device=device)
    start = first.event()
    stop = saxpy.saxpy[4, None, first](dx, dy, N, 2.0)
    assert isinstance(stop, wavec.Event)
    second.follow(stop)
    out = np.empty(N, np.float32)
    dy.numpy(out, queue=second)
    stop.wait()
    assert stop.done and (out == expected()).all()
    assert stop.seconds_since(start) >= 0
    first.wait()
    second.wait()


def test_queued_host_arrays(saxpy, device):
    x, y = operands()
    with wavec.Queue(device) as queue:
        saxpy.saxpy[4, None, queue](x, y, N, 2.0)
        saxpy.saxpy[4, None, queue](x, y, N, 2.0) if device.name == "emu" else None
        with pytest.raises(ValueError, match="is not contiguous"):
            saxpy.saxpy[4, None, queue](np.zeros(2 * N, np.float32)[::2], y, N, 2.0)
        queue.wait()
    assert (y == (2 * (expected() - 1) + 1 if device.name == "emu" else expected())).all()


def test_a_queue_of_another_device(saxpy):
    with wavec.Device("emu") as other, pytest.raises(ValueError, match="the queue is on emu"):
        saxpy.saxpy[4, None, wavec.Queue(other)](*operands(), N, 2.0)
    with wavec.Device("emu") as other, pytest.raises(ValueError, match="argument 'x' of saxpy is on emu"):
        saxpy.saxpy[4](wavec.zeros(N, device=other), operands()[1], N, 2.0)


def test_a_kernel_that_fails(device):
    source = '.kernel sure\n.arg n u32\n.pred p\n mov_imm r1, 5\n icmp_eq p, n, r1\n .assert p, "n is five"\n halt\n.end\n'
    kernel = wavec.load(source, device=device).sure
    kernel[1, 1](5)
    with pytest.raises(wavec.LaunchError, match="n is five") as raised:
        kernel[1, 1](6)
    assert isinstance(raised.value, wavec.KernelError) and raised.value.status == "the kernel failed"
    kernel[1, 1](5)


def test_memory_grows_and_keeps_its_contents(saxpy):
    name = saxpy.device.name
    with wavec.Device(name, memory=4096) as small:
        arrays = [wavec.array(np.full(5000, k, np.int32), device=small) for k in range(20)]
        assert small.heap.size >= 20 * 5000 * 4
        assert all((a.numpy() == k).all() for k, a in enumerate(arrays))
        size = small.heap.size
        for _ in range(50):  # freed memory is reused
            wavec.array(np.zeros(5000, np.int32), device=small)
        assert small.heap.size == size
        with pytest.raises(MemoryError, match="do not fit"):
            wavec.empty(1 << 33, np.uint8, device=small)


def test_the_heap_coalesces_freed_pieces(device):
    heap = device.heap
    pieces = [heap.take(size) for size in (100, 300, 256, 1)]
    assert pieces == [256, 512, 1024, 1280]
    for k in (2, 0, 3, 1):
        heap.give(pieces[k], (100, 300, 256, 1)[k])
    assert heap.free == [(256, heap.size - 256)]


def test_the_heap_grows_by_what_is_missing():
    with wavec.Device("emu", memory=3 << 30) as device:  # the memory is allocated at its first use
        heap = device.heap
        assert heap.take(1 << 20) == 256 and heap.take(3 << 30) == (1 << 20) + 256 and heap.size == 1 << 32
        with pytest.raises(MemoryError):
            heap.take(1 << 30)


def test_views(device):
    a = wavec.array(np.arange(12, dtype=np.int16), device=device)
    b = a.reshape(3, 4)
    assert b.shape == (3, 4) and (b.numpy() == np.arange(12).reshape(3, 4)).all()
    del a
    gc.collect()
    assert (b.reshape(-1).numpy() == np.arange(12)).all()
    with pytest.raises(ValueError):
        b.reshape(5)
    b.set(np.ones((3, 4), np.int16))
    assert (b.numpy() == 1).all()
    with pytest.raises(ValueError):
        b.set(np.ones(12, np.int16))
    assert (b.fill(255).numpy() == -1).all()
    assert wavec.zeros((2, 0), device=device).numpy().shape == (2, 0)


def test_shapes_of_numpy_numbers(device):
    assert wavec.zeros(np.int64(5), device=device).shape == (5,)
    assert wavec.zeros((np.int32(2), np.uint8(3)), device=device).numpy().shape == (2, 3)
    with pytest.raises(MemoryError):  # the product does not wrap at 32 bits
        wavec.empty((np.int32(1 << 16), np.int32(1 << 16), 3), np.uint8, device=device)
    with pytest.raises(TypeError):
        wavec.zeros(2.5, device=device)


def test_an_array_of_one_number(device):
    number = wavec.array(3.0, device=device)
    assert number.numpy() == 3 and (np.asarray(number.reshape(1)) == 3).all()


def test_a_view_closes_with_its_array(device):
    a = wavec.zeros(4, device=device)
    views = [a.reshape(2, 2), a.reshape(2, 2).reshape(4, 1)]
    views[0].close()
    assert (a.numpy() == 0).all() and (views[1].numpy() == 0).all()
    a.close()
    for view in views:
        assert "closed" in repr(view)
        with pytest.raises(ValueError, match="this array is closed"):
            view.numpy()


def test_lifetimes(device):
    with wavec.array(np.ones(3), device=device) as a:
        assert (a.numpy() == 1).all()
    with pytest.raises(ValueError, match="this array is closed"):
        a.numpy()
    module = wavec.load(SAXPY, device=device)
    module.close()
    with pytest.raises(ValueError, match="this module is closed"):
        module.saxpy[4](*operands(), N, 2.0)
    module.close()
    queue = wavec.Queue(device)
    queue.close()
    with pytest.raises(ValueError, match="this queue is closed"):
        queue.wait()
    device.close()
    with pytest.raises(ValueError, match="closed"):
        wavec.zeros(3, device=device)


def test_threads(saxpy, device):
    """Many threads launch, allocate and grow the memory at the same time."""
    wrong = []

    def work(seed):
        try:
            for k in range(15):
                x, y = operands()
                dx = wavec.array(x, device=device)
                saxpy.saxpy[4](dx, y, N, float(seed))
                wavec.empty((seed + 1) << 20, np.uint8, device=device)
                if not (y == expected(float(seed))).all():
                    wrong.append((seed, k))
        except Exception as reason:  # noqa: BLE001
            wrong.append(reason)
    with wavec.Device(device.name, memory=4096) as device:
        saxpy = wavec.load(SAXPY, device=device)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_the_gil_is_released():
    """While a long launch runs, this thread keeps counting."""
    source = (".kernel spin\n.arg n u32\n.reg i, one\n.pred p\n mov_imm i, 0\n mov_imm one, 1\n loop\n iadd i, i, one\n"
              " icmp_ge p, i, n\n break p\n endloop\n halt\n.end\n")
    kernel = wavec.load(source, device="emu").spin
    ended = threading.Event()
    counted = 0

    def run():
        kernel[64, 32](20000)
        ended.set()
    thread = threading.Thread(target=run)
    thread.start()
    while not ended.is_set():
        counted += 1
    thread.join()
    assert counted > 1000


def test_facts_and_descriptions(saxpy, device):
    facts = saxpy.saxpy.facts
    reported = (None, None) if device.name == "sycl:cpu" else (32, 0)  # Intel's run time does not report them
    assert (facts.registers, facts.spill_bytes) == reported and facts.local_memory == 0
    assert facts.max_threads >= device.info.max_workgroup_size == 1024
    assert "saxpy(x: f32[], y: f32[], n: u32, a: f32)" in repr(saxpy.saxpy)
    assert "saxpy" in dir(saxpy) and [k.info.name for k in saxpy] == ["saxpy"]
    with pytest.raises(AttributeError, match="has no kernel 'other'; it has saxpy"):
        saxpy.other
    assert {"emu": "", "cuda:0": ".entry saxpy", "sycl:cpu": "sycl::"}[device.name] in saxpy.text and bool(saxpy.text) == (device.name != "emu")
    constants = device.constants()
    assert constants["WAVE_WIDTH"] == device.info.wave_width and constants["MMA_M"] == 16
    assert (constants["REGISTER_FILE_SIZE"] is None) == (device.name == "sycl:cpu")  # not reported, and not invented
    assert (device.native is None) == (device.name == "emu") == (device.queue.native is None)


def test_progress(capsys, device):
    wavec.load(SAXPY, device=device, progress=True)
    shown = capsys.readouterr().err
    assert f"wavec: loading on {device.name}" in shown and shown.endswith("\r")
    wavec.load(SAXPY, device=device)
    assert capsys.readouterr().err == ""


def test_progress_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    wavec.load(SAXPY, device="emu")
    assert "wavec: loading on emu" in terminal.getvalue()
    shown = len(terminal.getvalue())
    wavec.load(SAXPY, device="emu", progress=False)
    assert len(terminal.getvalue()) == shown
