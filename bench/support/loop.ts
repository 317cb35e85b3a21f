/** Microseconds of CPU for one call: the least of several batches, after a warm-up. */
export async function costOf(work: () => unknown, calls = 20_000, batches = 7): Promise<number> {
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call++) {
      const result = work();
      if (result instanceof Promise) await result;
    }
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / calls);
  }
  return Math.min(...times.slice(1));
}
