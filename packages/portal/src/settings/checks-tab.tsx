import { Alert, Checkbox, Fieldset, Group, Radio, Stack, Switch, Text } from '@mantine/core'
import {
  AVS_CODES,
  CVV_CODES,
  decideVerification,
  type CheckMode,
} from '@tollgate/kernel/verification'
import type { PastChecksView, SiteView } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { countOf, countText } from '../parts/count-text.ts'
import { StillBusy } from '../parts/still-busy.tsx'
import { useMay } from '../session/session.ts'
import { call, type ApiFault } from '../shell/api.ts'
import { useDraft } from './draft.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import { siteChanged, usePastChecks } from './settings-queries.ts'
import classes from './settings.module.css'

interface Checks extends Readonly<Record<'avsMode' | 'cvvMode', CheckMode>> {
  readonly avsMatchSet: string
  readonly cvvMatchSet: string
  readonly cvvRequired: boolean
}

const MODES: readonly {
  readonly mode: CheckMode
  readonly title: string
  readonly text: (what: string, other: string) => string
}[] = [
  {
    mode: 'T',
    title: 'T: must match',
    text: (what) =>
      `Keeps an approval only with an accepted ${what} result. A missing result is no match.`,
  },
  {
    mode: 'C',
    title: 'C: must match, unless the other does',
    text: (what, other) =>
      `Like T, but ignores a ${what} result that is not accepted if the ${other} matches.`,
  },
  {
    mode: 'I',
    title: 'I: for information',
    text: (what) => `The ${what} is checked and reported, but decides nothing.`,
  },
  {
    mode: 'F',
    title: 'F: no check',
    text: (what) =>
      `The ${what} is not checked. For the other check, any result counts as no match.`,
  },
]

const DESCRIBE: Describe<Checks> = {
  avsMode: { label: 'Address check (AVS)', text: modeText },
  avsMatchSet: { label: 'Accepted AVS results', text: (set) => set || 'none' },
  cvvMode: { label: 'Security code check (CVV)', text: modeText },
  cvvMatchSet: { label: 'Accepted CVV results', text: (set) => set || 'none' },
  cvvRequired: { label: 'Security code', text: (on) => (on ? 'required' : 'not required') },
}

function modeText(mode: CheckMode): string {
  return MODES.find((each) => each.mode === mode)?.title ?? mode
}

export function ChecksTab({ site }: { readonly site: SiteView }) {
  const mayChange = useMay('sites.change')
  const past = usePastChecks(site.id)
  const [fault, setFault] = useState<ApiFault | null>(null)
  const { settings } = site
  const draft = useDraft<Checks>({
    avsMode: settings.avsMode,
    avsMatchSet: sorted(settings.avsMatchSet),
    cvvMode: settings.cvvMode,
    cvvMatchSet: sorted(settings.cvvMatchSet),
    cvvRequired: settings.cvvRequired,
  })
  const { values, set } = draft
  const effect = past.data === undefined ? null : effectOf(past.data, values)
  // Stored values may be in another sequence; the stored ones are sent as seen.
  const stored = { ...settings, renewalRetryDays: undefined }
  const save = async (): Promise<void> => {
    const changes = Object.fromEntries(draft.changed.map((name) => [name, values[name]]))
    const seen = Object.fromEntries(
      draft.changed.map((name) => [
        name,
        draft.seen[name] === sorted(String(stored[name])) ? stored[name] : draft.seen[name],
      ]),
    )
    siteChanged(
      await call(routes.sites.change, { path: { siteId: site.id }, body: { changes, seen } }),
    )
  }
  return (
    <Stack maw={1200}>
      <Text size="sm" c="dimmed">
        These rules apply after the bank approves. An approval that fails a rule is declined (623
        for AVS, 621 for CVV) and reversed immediately. A request can override the rules (CHKAVS,
        CHKCVV, AVSMATCHSET, CVVMATCHSET).
      </Text>
      <Fieldset legend="Address (AVS)" disabled={!mayChange}>
        <Stack gap="md">
          <ModeChoice
            label="Address check mode"
            what="address"
            other="security code"
            value={values.avsMode}
            onChange={(mode) => set('avsMode', mode)}
          />
          <MatchSet
            legend="Accepted results"
            codes={AVS_CODES}
            counts={countsOf(past.data, 'avsCode')}
            value={values.avsMatchSet}
            isUsed={values.avsMode === 'T' || values.avsMode === 'C' || values.cvvMode === 'C'}
            error={fault?.field === 'avsMatchSet' ? fault.message : undefined}
            onChange={(results) => {
              setFault(null)
              set('avsMatchSet', results)
            }}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="Security code (CVV)" disabled={!mayChange}>
        <Stack gap="md">
          <Switch
            label="Require a security code with a card number"
            description="A request without PMT_KEY is refused before the bank is asked. Saved cards and merchant-initiated payments need no code."
            checked={values.cvvRequired}
            onChange={(event) => set('cvvRequired', event.currentTarget.checked)}
          />
          <ModeChoice
            label="Security code check mode"
            what="security code"
            other="address"
            value={values.cvvMode}
            onChange={(mode) => set('cvvMode', mode)}
          />
          <MatchSet
            legend="Accepted results"
            codes={CVV_CODES}
            counts={countsOf(past.data, 'cvvCode')}
            value={values.cvvMatchSet}
            isUsed={values.cvvMode === 'T' || values.cvvMode === 'C' || values.avsMode === 'C'}
            error={fault?.field === 'cvvMatchSet' ? fault.message : undefined}
            onChange={(results) => {
              setFault(null)
              set('cvvMatchSet', results)
            }}
          />
        </Stack>
      </Fieldset>
      <Alert
        color={effect !== null && effect.refused > 0 ? 'orange' : 'gray'}
        role="status"
        title={`The last ${past.data?.days ?? 7} days under ${draft.changed.length === 0 ? 'the saved rules' : 'your changes'}`}
      >
        {effect === null || past.data === undefined ? (
          (past.error?.message ?? <StillBusy text="Counting the payments of the last 7 days." />)
        ) : (
          <EffectText effect={effect} past={past.data} />
        )}
      </Alert>
      <SaveBar
        draft={draft}
        describe={DESCRIBE}
        save={save}
        onFault={setFault}
        changeDelaySeconds={site.changeDelaySeconds}
        note={effect !== null && effect.refused > 0 ? effectSentence(effect) : undefined}
      />
    </Stack>
  )
}

interface Effect {
  readonly approved: number
  readonly withAddress: number
  readonly withCode: number
  /** Of the approved, those that would have been declined. */
  readonly refused: number
  readonly byAddress: number
  readonly refusedBefore: number
  /** Of those that the rules refused, how many would have been kept. */
  readonly saved: number
}

/** The results that the rules would have had for past payments. */
function effectOf({ groups }: PastChecksView, checks: Checks): Effect {
  const effect = {
    approved: 0,
    withAddress: 0,
    withCode: 0,
    refused: 0,
    byAddress: 0,
    refusedBefore: 0,
    saved: 0,
  }
  for (const { avsCode, cvvCode, outcome, codeExpected, payments } of groups) {
    const decided = decideVerification({
      avsMode: checks.avsMode,
      cvvMode: codeExpected ? checks.cvvMode : 'F',
      avsSet: checks.avsMatchSet,
      cvvSet: checks.cvvMatchSet,
      avsCode,
      cvvCode,
    })
    if (outcome !== 'approved') {
      effect.refusedBefore += payments
      if (decided === 'passed') effect.saved += payments
      continue
    }
    effect.approved += payments
    if (avsCode !== '') effect.withAddress += payments
    if (cvvCode !== '') effect.withCode += payments
    if (decided !== 'passed') effect.refused += payments
    if (decided === 'avs_failed') effect.byAddress += payments
  }
  return effect
}

function effectSentence({ approved, withAddress, withCode, refused, byAddress }: Effect): string {
  const share = ((refused / approved) * 100).toFixed(1)
  return (
    `Of ${countOf(approved, 'approval')} (${countText(withAddress)} with an AVS result, ${countText(withCode)} with a CVV result), ${countText(refused)} would have been declined ` +
    `(${share} %): ${countText(byAddress)} for AVS, ${countText(refused - byAddress)} for CVV.`
  )
}

function EffectText({ effect, past }: { readonly effect: Effect; readonly past: PastChecksView }) {
  if (effect.approved + effect.refusedBefore === 0)
    return 'There were no payments to which these rules apply.'
  return (
    <Stack gap={2}>
      <Text size="sm">
        {effect.refused === 0
          ? `All ${countText(effect.approved)} approvals (${countText(effect.withAddress)} with an AVS result, ${countText(effect.withCode)} with a CVV result) would have been kept.`
          : effectSentence(effect)}
      </Text>
      {effect.refusedBefore > 0 && (
        <Text size="sm">
          Of {countText(effect.refusedBefore)} payments that the rules declined at the time,{' '}
          {countText(effect.saved)} would have been kept.
        </Text>
      )}
      {past.ownRules > 0 && (
        <Text size="sm" c="dimmed">
          Not counted: {countOf(past.ownRules, 'request')} that override the rules.
        </Text>
      )}
      {past.isCut && (
        <Text size="sm" c="dimmed">
          Only the latest 50,000 payments were examined.
        </Text>
      )}
    </Stack>
  )
}

interface ModeChoiceProps {
  readonly label: string
  readonly what: string
  readonly other: string
  readonly value: CheckMode
  readonly onChange: (mode: CheckMode) => void
}

function ModeChoice({ label, what, other, value, onChange }: ModeChoiceProps) {
  return (
    <Radio.Group label={label} value={value} onChange={(mode) => onChange(mode as CheckMode)}>
      <div className={classes.results}>
        {MODES.map(({ mode, title, text }) => (
          <Radio key={mode} mt={6} value={mode} label={title} description={text(what, other)} />
        ))}
      </div>
    </Radio.Group>
  )
}

interface MatchSetProps {
  readonly legend: string
  readonly codes: Readonly<Record<string, string>>
  readonly counts: ReadonlyMap<string, number>
  readonly value: string
  readonly isUsed: boolean
  readonly error: string | undefined
  readonly onChange: (results: string) => void
}

/** Each result in words, with how often it came; those that are ticked count as a match. */
function MatchSet({ legend, codes, counts, value, isUsed, error, onChange }: MatchSetProps) {
  const none = counts.get('') ?? 0
  return (
    <Checkbox.Group
      label={legend}
      description={isUsed ? 'A selected result counts as a match.' : 'Ignored in modes I and F.'}
      value={[...value]}
      error={error}
      onChange={(results) => onChange(sorted(results.join('')))}
    >
      <div className={`${classes.results} ${classes.spaced}`}>
        {Object.entries(codes).map(([result, meaning]) => (
          <div key={result} className={classes.result}>
            <Checkbox
              size="xs"
              value={result}
              label={
                <>
                  <strong>{result}</strong> {meaning}
                </>
              }
            />
            <Count number={counts.get(result) ?? 0} />
          </div>
        ))}
        <div className={classes.result}>
          <Text size="xs" pl={24}>
            No result: never a match
          </Text>
          <Count number={none} />
        </div>
      </div>
    </Checkbox.Group>
  )
}

function Count({ number }: { readonly number: number }) {
  return (
    <Group className={classes.count}>
      <Text size="xs" c="dimmed">
        {number === 0 ? '' : `${countText(number)}×`}
      </Text>
    </Group>
  )
}

function countsOf(
  past: PastChecksView | undefined,
  code: 'avsCode' | 'cvvCode',
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const group of past?.groups ?? [])
    counts.set(group[code], (counts.get(group[code]) ?? 0) + group.payments)
  return counts
}

function sorted(results: string): string {
  return [...results.toUpperCase()].toSorted().join('')
}
