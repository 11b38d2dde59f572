import { readFields, type Answer } from './outcomes/answer.ts'
import { postForm } from './payments.ts'
import type { RunningGateway } from './running-gateway.ts'

/** A payment that `/sandbox/values` publishes, with the fields of its answer. */
export interface PublishedTrial {
  readonly when: string
  readonly runs: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly answer?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

export interface PublishedValues {
  readonly runs: Readonly<Record<string, string>>
  readonly values: readonly {
    readonly kind: string
    readonly value: string
    readonly meaning: string
    readonly trials: readonly PublishedTrial[]
  }[]
}

export async function publishedValues({ baseUrl }: RunningGateway): Promise<PublishedValues> {
  const response = await fetch(new URL('/sandbox/values', baseUrl))
  return (await response.json()) as PublishedValues
}

/**
 * Sends the payment, and returns what differs from the published answer; '' for nothing. `hear` gets
 * the answer.
 */
export async function differenceOf(
  gateway: RunningGateway,
  { answer = {}, headers: named = {}, parameters = {} }: PublishedTrial,
  hear: (answer: Answer) => void,
): Promise<string> {
  const { headers, status, text } = await postForm(gateway, {
    REQUEST_RESPONSE_FORMAT: 'JSON',
    ...parameters,
  })
  hear({ headers, status, fields: readFields(text) })
  const record = JSON.parse(text) as Record<string, unknown>
  return [
    ...Object.entries(answer).map(([name, value]) => [name, value, record[name]]),
    ...Object.entries(named).map(([name, value]) => [name, value, headers.get(name)]),
  ]
    .filter(([, expected, found]) => expected !== found)
    .map(([name, expected, found]) => `${name} ${String(found)} and not ${String(expected)}`)
    .join(', ')
}
