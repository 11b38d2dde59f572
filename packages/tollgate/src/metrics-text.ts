/** A sample of the text format: its name, its labels and its value. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric with all its samples. */
export interface Family {
  readonly name: string
  readonly help: string
  /** `counter`, `gauge`, `histogram`, `summary` or `untyped`. */
  readonly type: string
  readonly samples: readonly Sample[]
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/**
 * Reads the text format of Prometheus, as prom-client writes it: each metric begins with its HELP
 * and TYPE, and its samples have no times.
 * @throws Error for a line of another form
 */
export function readMetricsText(text: string): Family[] {
  const families: (Family & { samples: Sample[] })[] = []
  let help = ''
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, , key = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (line.startsWith('# HELP ')) help = rest
    else if (line.startsWith('# TYPE ')) {
      families.push({ name: key, help, type: rest, samples: [] })
      help = ''
    } else if (!line.startsWith('#')) {
      const family = families.at(-1)
      if (family === undefined) throw new Error(`A sample has no TYPE before it: ${line}`)
      family.samples.push(readSample(line))
    }
  }
  return families
}

function readSample(line: string): Sample {
  const [, name, labels = '', value = ''] = SAMPLE.exec(line) ?? []
  if (name === undefined) throw new Error(`This is no sample of a metric: ${line}`)
  const read = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [
    key,
    text.replace(/\\(.)/g, (_, each: string) => ESCAPED[each] ?? each),
  ])
  return { name, labels: Object.fromEntries(read) as Sample['labels'], value: readNumber(value) }
}

function readNumber(text: string): number {
  return Number(text.replace(/^\+?Inf$/, 'Infinity').replace(/^-Inf$/, '-Infinity'))
}
