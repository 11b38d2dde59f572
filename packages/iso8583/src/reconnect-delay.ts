/**
 * How long to wait before the next connection after so many failures in a row, in milliseconds. The
 * wait doubles up to the longest; half of it is random. Clients that lost one host therefore do not
 * come back in step.
 */
export function reconnectDelayMs(
  failures: number,
  { shortestMs, longestMs }: { readonly shortestMs: number; readonly longestMs: number },
  random: () => number,
): number {
  const wait = Math.min(longestMs, shortestMs * 2 ** failures)
  return wait / 2 + (random() * wait) / 2
}
