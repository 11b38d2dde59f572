/** Placeholders for parameters that the request log never kept; they are filled in by hand. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  REQ_USERNAME: 'user name',
  REQ_PASSWORD: 'password',
  PMT_NUMB: 'card number',
  PMT_KEY: 'security code',
  TOKEN_GUID: 'card token',
}
/** The request log's text in the place of a secret. */
const REMOVED = '[removed]'
const MASKED_NUMBER = /[0-9]{0,6}\*{4,}[0-9]{0,4}/g
/** Means the same within single quotes to every shell. */
const PLAIN = /^[\w .,:;@/+()[\]{}<>=-]*$/

/** Entries of the request log beside the parameters. */
const NO_PARAMETERS: ReadonlySet<string> = new Set(['UNKNOWN_PARAMETERS', 'WARNINGS'])

/** The parameters that were sent, as far as they are texts. */
export function sentParameters(
  parameters: Readonly<Record<string, unknown>>,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    NO_PARAMETERS.has(name) || typeof value !== 'string' ? [] : [[name, value] as const],
  )
}

/**
 * A request of the log as a command that sends it again, once what is in angle brackets was filled
 * in. Values that shells read in different ways are percent-encoded, so that it works in all of
 * them.
 */
export function curlCommand(url: string, parameters: Readonly<Record<string, unknown>>): string {
  const parts = sentParameters(parameters).map(([name, value]) => {
    const text = withPlaceholders(name, value)
    return PLAIN.test(text)
      ? `--data-urlencode '${name}=${text}'`
      : `--data '${name}=${percentEncoded(text)}'`
  })
  return [`curl -s '${url}'`, ...parts].join(' \\\n  ')
}

function withPlaceholders(name: string, value: string): string {
  const whole = `<${PLACEHOLDERS[name] ?? name.toLowerCase().replaceAll('_', ' ')}>`
  if (value === REMOVED) return whole
  if (name === 'PMT_NUMB' && value.includes('*')) return whole
  return value.replace(MASKED_NUMBER, '<card number>')
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
