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

const tables = new Map<
  FieldRules,
  ReadonlyMap<TableVersion, readonly (readonly [string, FieldRule])[]>
>(
  [...Object.values(MESSAGES), CARD_RANGE].map((fields) => [
    fields,
    new Map(TABLE_VERSIONS.map((version) => [version, inVersion(fields, version)])),
  ]),
)

function inVersion(fields: FieldRules, version: TableVersion): [string, FieldRule][] {
  const place = TABLE_VERSIONS.indexOf(version)
  return Object.entries(fields).filter(([, rule]) => TABLE_VERSIONS.indexOf(rule.since) <= place)
}

/** The elements that a message has in a version. */
export function fieldsOf(
  fields: FieldRules,
  version: TableVersion,
): readonly (readonly [string, FieldRule])[] {
  return tables.get(fields)?.get(version) ?? []
}
