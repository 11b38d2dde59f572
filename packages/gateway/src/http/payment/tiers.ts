import type { Field } from './record.ts'
import { number, text } from './record.ts'

/** The four tiers that every answer ends with; what is left out is 0 with an empty advice. */
export interface Tiers {
  readonly api: string
  readonly apiAdvice?: string
  readonly service: number | ''
  readonly serviceAdvice?: string
  readonly processor?: string
  readonly processorAdvice?: string
  readonly industry?: string
  readonly industryAdvice?: string
  readonly refField?: string
}

export function tierFields(tiers: Tiers): Field[] {
  return [
    text('API_RESPONSE', tiers.api),
    text('API_ADVICE', tiers.apiAdvice ?? ''),
    number('SERVICE_RESPONSE', tiers.service),
    text('SERVICE_ADVICE', tiers.serviceAdvice ?? ''),
    number('PROCESSOR_RESPONSE', tiers.processor || '0'),
    text('PROCESSOR_ADVICE', tiers.processorAdvice ?? ''),
    number('INDUSTRY_RESPONSE', tiers.industry || '0'),
    text('INDUSTRY_ADVICE', tiers.industryAdvice ?? ''),
    text('REF_FIELD', tiers.refField ?? ''),
  ]
}

/** The part of the tiers that the membership actions answer with. */
export function statusBlock(tiers: Tiers): Field[] {
  return tierFields(tiers).filter(({ name }) => !/^(?:PROCESSOR|INDUSTRY)_/.test(name))
}

/** Outside approvals a tier with nothing to say has one blank as its advice. */
export function blankAdvices(tiers: Tiers): Tiers {
  return {
    ...tiers,
    apiAdvice: tiers.apiAdvice || ' ',
    serviceAdvice: tiers.serviceAdvice || ' ',
    processorAdvice: tiers.processorAdvice || ' ',
    industryAdvice: tiers.industryAdvice || ' ',
  }
}
