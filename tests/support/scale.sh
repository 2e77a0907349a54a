# The kernel that tests of launches share. Sourced, not run.

# scale_kernel [DIRECTIVE...]: y[i] = a * x[i] for i < n, with x, y, n and a in r0 to r3.
scale_kernel() {
    printf '%s\n' '.kernel scale' '.registers 12' "$@"
    cat <<'END'
    mov_sr r4, sr_workgroup_id_x
    mov_sr r5, sr_workgroup_size_x
    mov_sr r6, sr_thread_id_x
    imad r4, r4, r5, r6
    icmp_lt p1, r4, r2
    if p1
        mov_imm r5, 2
        shl r4, r4, r5
        iadd r6, r0, r4
        iadd r7, r1, r4
        device_load_u32 r8, r6
        fmul r8, r8, r3
        device_store_u32 r7, r8
    endif
    halt
.end
END
}
