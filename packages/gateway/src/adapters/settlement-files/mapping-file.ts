import { z } from 'zod'
import { readJson } from '../../base/json-faults.ts'
import { refused, type Result } from '../../base/refusal.ts'
import { FEE_NAMES, LINE_KINDS, type LineKind } from '../../domain/settlement/file-record.ts'
import { mappingFaults } from '../../domain/settlement/mapping-check.ts'
import type { Mapping } from '../../domain/settlement/mapping.ts'

const KINDS = Object.keys(LINE_KINDS) as LineKind[]
const COLUMN_TEXT = 'the name of a column, 1 to 120 characters'
const COLUMN = z
  .string({ error: COLUMN_TEXT })
  .min(1, { error: COLUMN_TEXT })
  .max(120, { error: COLUMN_TEXT })
const COLUMNS_TEXT = 'a list of 1 to 20 names of columns'
const COLUMNS = z
  .array(COLUMN, { error: COLUMNS_TEXT })
  .min(1, { error: COLUMNS_TEXT })
  .max(20, { error: COLUMNS_TEXT })
const WORD_TEXT = 'a text of 1 to 64 characters'
const WORD = z
  .string({ error: WORD_TEXT })
  .min(1, { error: WORD_TEXT })
  .max(64, { error: WORD_TEXT })
const PATTERN_TEXT = 'a regular expression of 1 to 200 characters'
const PATTERN = z
  .string({ error: PATTERN_TEXT })
  .min(1, { error: PATTERN_TEXT })
  .max(200, { error: PATTERN_TEXT })
const KIND = z.enum(KINDS, { error: `one of ${KINDS.join(', ')}` })
const FEE = z.enum(FEE_NAMES, { error: `one of ${FEE_NAMES.join(', ')}` })

function literal<const Value extends string | boolean>(...values: readonly Value[]) {
  return z.literal([...values], {
    error: values.map((value) => JSON.stringify(value)).join(' or '),
  })
}

const AMOUNT_TEXT =
  'an object with "debit" and "credit", with "column" and "sign", or with "column" and "indicator"'
const TWO_COLUMNS = { debit: COLUMN, credit: COLUMN, exactly_one: literal(true).optional() }
const SIGNED = { column: COLUMN, sign: literal('signed', 'negated') }
const INDICATED = {
  column: COLUMN,
  indicator: z.strictObject({
    column: COLUMN,
    debit: z.array(WORD).min(1).max(20),
    credit: z.array(WORD).min(1).max(20),
  }),
}
const AMOUNT = z.union(
  [z.strictObject(TWO_COLUMNS), z.strictObject(SIGNED), z.strictObject(INDICATED)],
  { error: AMOUNT_TEXT },
)
const ORIG_TEXT = `${AMOUNT_TEXT}; and with "currency" and perhaps "rate"`
const ORIGINAL = { currency: COLUMN, rate: COLUMN.optional() }
const ORIG = z.union(
  [
    z.strictObject({ ...TWO_COLUMNS, ...ORIGINAL }),
    z.strictObject({ ...SIGNED, ...ORIGINAL }),
    z.strictObject({ ...INDICATED, ...ORIGINAL }),
  ],
  { error: ORIG_TEXT },
)

const DATE = z.strictObject({
  column: COLUMN,
  format: WORD,
  zone: WORD.optional(),
  zone_column: COLUMN.optional(),
  zones: z.record(z.string(), WORD).optional(),
})

const TEXT = z.union(
  [
    COLUMN,
    z.strictObject({
      column: COLUMN,
      regex: PATTERN.optional(),
      map: z.record(z.string(), WORD).optional(),
      else: WORD.optional(),
      when: KIND.optional(),
    }),
  ],
  {
    error: 'the name of a column, or an object with "column" and "regex", "map", "else" or "when"',
  },
)

const TEXTS = {
  order: TEXT.optional(),
  rrn: TEXT.optional(),
  arn: TEXT.optional(),
  batch: TEXT.optional(),
  brand: TEXT.optional(),
  case: TEXT.optional(),
  reason: TEXT.optional(),
  payout: TEXT.optional(),
  trace: TEXT.optional(),
  iban_last4: TEXT.optional(),
  corrects: TEXT.optional(),
  ref: TEXT.optional(),
  period: TEXT.optional(),
  fee_code: TEXT.optional(),
}

const VERSION_TEXT = 'a whole number from 1 to 1,000,000'
const NAME_TEXT = 'lower-case letters, digits and dashes, at most 40, the first no dash'

const SCHEMA = z.strictObject({
  $schema: z.string().optional(),
  mapping: z.string({ error: NAME_TEXT }).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: NAME_TEXT }),
  v: z.number({ error: VERSION_TEXT }).int({ error: VERSION_TEXT }).min(1).max(1_000_000),
  input: z.strictObject({
    type: literal('csv', 'jsonl'),
    delimiter: literal(',', ';', '\t', '|').optional(),
    header: literal(true).optional(),
    encoding: literal('utf-8', 'latin1'),
    bom: literal('allow', 'refuse'),
    decimal: literal('.', ','),
    thousands: literal('.', ',', ' ', "'").optional(),
    amounts: literal('units', 'minor_units').optional(),
    apostrophe: literal('strip').optional(),
  }),
  file: z.strictObject({
    account: z.strictObject({
      column: COLUMN.optional(),
      equals: z.string().optional(),
      as: WORD,
    }),
    currency: z.union([COLUMN, z.strictObject({ is: WORD })], {
      error: 'the name of a column, or an object such as {"is": "EUR"}',
    }),
    seq: z.union(
      [
        z.strictObject({ column: COLUMN, single: literal(true) }),
        z.strictObject({ given: literal(true) }),
      ],
      { error: 'an object with "column" and "single": true, or with "given": true' },
    ),
    opening: literal('carry'),
  }),
  kind: z.strictObject({
    column: COLUMN,
    map: z.record(
      z.string(),
      z.union([KIND, z.strictObject({ '-': KIND, '+': KIND })], {
        error: `a kind, or an object with a kind for "-" and one for "+": ${KINDS.join(', ')}`,
      }),
    ),
    else: literal('refuse'),
  }),
  id: z.strictObject({
    column: COLUMN,
    matches: PATTERN.optional(),
    else_hash: COLUMNS.optional(),
  }),
  date: DATE,
  net: AMOUNT,
  gross: AMOUNT.optional(),
  orig: ORIG.optional(),
  fees: z
    .strictObject({
      interchange: COLUMNS.optional(),
      scheme: COLUMNS.optional(),
      acquirer: COLUMNS.optional(),
      dispute: COLUMNS.optional(),
      tax: COLUMNS.optional(),
      other: COLUMNS.optional(),
      sign: literal('charged_positive', 'charged_negative'),
      standalone: FEE.optional(),
    })
    .optional(),
  value_date: DATE.optional(),
  arrives: DATE.optional(),
  ...TEXTS,
  checks: z
    .strictObject({
      net_from_gross_and_fees: z
        .strictObject({ tolerance_minor: z.number().int().min(0).max(1) })
        .optional(),
      sum_zero_per: COLUMN.optional(),
    })
    .optional(),
})

/** Reads a mapping and reports every fault. */
export function readMappingFile(text: string): Result<{ readonly mapping: Mapping }> {
  const read = readJson(text, SCHEMA)
  if (!read.ok) return read
  const faults = mappingFaults(read.value)
  return faults.length > 0 ? refused('invalid', faults) : { ok: true, mapping: read.value }
}

/** The JSON schema of a mapping, as docs/schemas has it. */
export function mappingSchema(): object {
  return {
    $id: 'tollgate-settlement-mapping-v1.json',
    title: 'Mapping of an acquirer file to tollgate-settlement v1',
    ...z.toJSONSchema(SCHEMA, { target: 'draft-7' }),
  }
}
