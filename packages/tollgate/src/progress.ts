/** Runs work and reports its current step every two seconds. */
export async function withProgress<T>(
  print: (line: string) => void,
  work: (set: (line: string) => void) => Promise<T>,
): Promise<T> {
  let doing = ''
  const timer = setInterval(() => print(doing), EVERY_MS)
  try {
    return await work((line) => (doing = line))
  } finally {
    clearInterval(timer)
  }
}

const EVERY_MS = 2_000
