import type { WhyRequest, WhyStep } from './why-facts.ts'

export type Inputs = WhyStep['inputs']

/** The parameter at fault, with its value and the expected one. */
export function fieldOf(request: WhyRequest | null): Inputs {
  if (request === null || request.refField === '') return []
  const found = request.parameters[request.refField]
  return [
    [request.refField, typeof found === 'string' ? found : 'not sent'],
    ['Expected', request.expected ?? ''],
  ]
}

/** A parameter of the request; '' if it was not sent. */
export function text(request: WhyRequest | null, name: string): string {
  const value = request?.parameters[name]
  return typeof value === 'string' ? value : ''
}

/** Some parameters with their values. */
export function pick(request: WhyRequest | null, names: readonly string[]): Inputs {
  return names.map((name) => [name, text(request, name)])
}

/** '' for an unknown fact. */
export function yesOrNo(value: boolean | undefined): string {
  if (value === undefined) return ''
  return value ? 'yes' : 'no'
}
