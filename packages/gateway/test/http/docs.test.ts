import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  RESPONSE_CODES,
  RESPONSE_TEXTS,
} from '../../src/adapters/processor-iso8583/response-codes.ts'
import { SERVICE_TEXTS } from '../../src/domain/payments/service-codes.ts'
import { ACTION_NAMES } from '../../src/http/payment/actions.ts'
import { PARAMETERS } from '../../src/http/payment/parameters.ts'
import type { Operation, Parameter } from '../../src/http/payment/parameters.ts'
import type { WireRefusal } from '../../src/http/payment/refusals.ts'
import { adviceOf, REFUSALS } from '../../src/http/payment/refusals.ts'
import { TOKEN_PARAMETERS } from '../../src/http/tokens/token-parameters.ts'
import { TOKEN_REFUSALS } from '../../src/http/tokens/token-refusals.ts'
import { REVEAL_REASONS } from '../../src/usecases/vault/card-vault.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)

/** The cells of the rows of all tables whose first heading is this one. */
function rows(page: string, heading: string): string[][] {
  const found: string[][] = []
  let inside = false
  for (const line of readFileSync(new URL(page, DOCS), 'utf8').split('\n')) {
    if (!line.startsWith('|')) inside = false
    else if (line.startsWith(`| ${heading} |`)) inside = true
    else if (inside && !line.startsWith('|---')) {
      found.push(
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    }
  }
  return found
}

const OPERATION_NAMES: Readonly<Record<Operation, string>> = {
  test_auth: 'TESTAUTH',
  test_gateway: 'TESTGW',
  authorization: 'CCAUTHORIZE',
  sale: 'CCAUTHCAP',
  capture: 'CCCAPTURE',
  refund: 'CCCREDIT',
  unreferenced_credit: 'unreferenced credit',
  void: 'CCREVERSE',
  capture_void: 'CCREVERSECAP',
  status: 'CCSTATUS',
  update_transaction: 'CCTRANSUPDATE',
  update_membership: 'SUB_UPDATE',
  cancel_membership: 'SUB_CANCEL',
  dispute_alert: 'CCRDR, CCRDRDELETE, CCTC40',
}

function parameterRow(parameter: Parameter): string[] {
  const { name, kind, values, min, max, operations, use, meaning, aliases } = parameter
  const all = Object.keys(OPERATION_NAMES).length
  const where =
    operations.length === all
      ? 'everywhere'
      : operations.map((operation) => OPERATION_NAMES[operation]).join(', ') || 'nowhere'
  return [
    name,
    values?.join(', ') ?? kind.replace('_', ' '),
    min === max ? String(max) : `${min} to ${max}`,
    where,
    use,
    aliases.length === 0 ? meaning : `${meaning} Also: ${aliases.join(', ')}.`,
  ]
}

test('docs/integrators/interface.md lists the parameters of the table, in its order', () => {
  assert.deepEqual(rows('integrators/interface.md', 'Parameter'), PARAMETERS.map(parameterRow))
})

test('docs/integrators/interface.md lists the actions of the gateway', () => {
  const listed = rows('integrators/interface.md', 'Action').map(([name]) => name)
  assert.deepEqual(listed, ACTION_NAMES)
})

test('docs/codes.md lists the refusals of the table and no others', () => {
  const entries: [string, WireRefusal][] = Object.entries(REFUSALS)
  assert.deepEqual(
    rows('codes.md', 'Name'),
    entries.map(([name, refusal]) => [
      name,
      refusal.tier?.toUpperCase() ?? 'none',
      String(refusal.code),
      adviceOf(refusal),
      refusal.layout === 'adjustment' ? 'DECLINED' : 'empty',
      String(refusal.httpStatus),
      refusal.meaning,
    ]),
  )
})

test('docs/codes.md lists every service code with its text and a meaning', () => {
  const listed = rows('codes.md', 'Code')
  assert.deepEqual(
    listed.map(([code, text]) => [code, text]),
    Object.entries(SERVICE_TEXTS).map(([code, text]) => [code, text]),
  )
  for (const [code = '', , meaning = ''] of listed) assert.ok(meaning.length > 5, code)
})

test('docs/codes.md lists the summary of each code of a bank', () => {
  const codes = Object.entries(RESPONSE_CODES).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  )
  assert.deepEqual(
    rows('codes.md', 'DE 39'),
    codes.map(([code, service]) => [code, String(service), RESPONSE_TEXTS[code] ?? '']),
  )
})

test('docs/integrators/tokens.md lists the parameters of the token service, in their order', () => {
  assert.deepEqual(
    rows('integrators/tokens.md', 'Parameter'),
    TOKEN_PARAMETERS.map(({ name, sent, required, min, max, kind, meaning }) => [
      name,
      sent,
      required ? 'yes' : 'no',
      min === max ? String(max) : `${min} to ${max}`,
      kind.replaceAll('_', ' '),
      meaning,
    ]),
  )
})

test('docs/integrators/tokens.md lists the refusals of the token service, in the order of the checks', () => {
  assert.deepEqual(
    rows('integrators/tokens.md', 'Code'),
    Object.values(TOKEN_REFUSALS).map(({ code, message, httpStatus, meaning }) => [
      String(code),
      message,
      String(httpStatus),
      meaning,
    ]),
  )
})

test('docs/operators/keys.md lists every reason for which a number leaves the vault', () => {
  assert.deepEqual(rows('operators/keys.md', 'Reason'), Object.entries(REVEAL_REASONS))
})

test('no parameter and no alias stands twice in the table', () => {
  const names = PARAMETERS.flatMap(({ name, aliases }) => [name, ...aliases])
  assert.equal(new Set(names).size, names.length)
})
