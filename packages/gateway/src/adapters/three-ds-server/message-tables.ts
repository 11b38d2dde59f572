import { ARES, CARD_RANGE, CRES, ERRO, PRES, RREQ } from './answer-fields.ts'
import { TABLE_VERSIONS } from './field-rule.ts'
import type { FieldRule, FieldRules, TableVersion } from './field-rule.ts'
import { AREQ, CREQ, PREQ, RRES } from './request-fields.ts'

/** Every element of every message, by the message's type. */
export const MESSAGES = {
  AReq: AREQ,
  ARes: ARES,
  RReq: RREQ,
  RRes: RRES,
  PReq: PREQ,
  PRes: PRES,
  CReq: CREQ,
  CRes: CRES,
  Erro: ERRO,
} as const satisfies Readonly<Record<string, FieldRules>>

export type MessageType = keyof typeof MESSAGES

interface Table {
  readonly rules: readonly (readonly [string, FieldRule])[]
  readonly names: ReadonlySet<string>
}

const tables = new Map<FieldRules, ReadonlyMap<TableVersion, Table>>(
  [...Object.values(MESSAGES), CARD_RANGE].map((fields) => [
    fields,
    new Map(TABLE_VERSIONS.map((version) => [version, tableOf(inVersion(fields, version))])),
  ]),
)

function tableOf(rules: Table['rules']): Table {
  return { rules, names: new Set(rules.map(([name]) => name)) }
}

function inVersion(fields: FieldRules, version: TableVersion): [string, FieldRule][] {
  const place = TABLE_VERSIONS.indexOf(version)
  return Object.entries(fields).filter(([, rule]) => TABLE_VERSIONS.indexOf(rule.since) <= place)
}

/** The elements that a message has in a version. */
export function fieldsOf(
  fields: FieldRules,
  version: TableVersion,
): readonly (readonly [string, FieldRule])[] {
  return tables.get(fields)?.get(version)?.rules ?? []
}

/** Whether a message has an element in a version. */
export function hasField(fields: FieldRules, version: TableVersion, name: string): boolean {
  return tables.get(fields)?.get(version)?.names.has(name) ?? false
}
