import {
  ActionIcon,
  Alert,
  Button,
  Fieldset,
  Group,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Table,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import {
  CARD_TESTING_CODES,
  CARD_TESTING_COUNTS,
  CARD_TESTING_SUBJECTS,
  DEFAULT_CARD_TESTING_RULES,
  type CardTestingRule,
} from '@tollgate/kernel/card-testing-rules'
import type { SiteView } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call, type ApiFault } from '../shell/api.ts'
import { useDraft } from './draft.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import { siteChanged } from './settings-queries.ts'
import classes from './settings.module.css'
import { Tried } from './tried-rules.tsx'

interface Rules {
  readonly rules: readonly CardTestingRule[]
  readonly exceptAddresses: readonly string[]
}

type Setting = SiteView['cardTesting']['mode']

const SETTINGS: Readonly<Record<Setting, { readonly label: string; readonly text: string }>> = {
  off: { label: 'Off', text: 'Nothing is counted, and no payment is declined.' },
  watch: {
    label: 'Watch',
    text: 'Payments are counted, and would-be declines are recorded. No payment is declined. Use this mode for a full week first.',
  },
  enforce: {
    label: 'Enforce',
    text: 'Payments over a limit are declined without asking the bank.',
  },
}

const NEW_RULE: CardTestingRule = {
  name: 'rule',
  subject: 'address',
  counts: 'attempts',
  limit: 10,
  windowSeconds: 600,
  code: 601,
}

const DESCRIBE: Describe<Rules> = {
  rules: { label: 'Rules', text: (rules) => rules.map(ruleText).join('\n') || 'none' },
  exceptAddresses: {
    label: 'Excluded addresses',
    text: (addresses) => addresses.join('\n') || 'none',
  },
}

function ruleText({ name, subject, counts, limit, windowSeconds, code }: CardTestingRule): string {
  return `${name}: ${limit} ${counts} per ${subject} in ${spanText(windowSeconds)}, otherwise ${code}`
}

export function CardTestingTab({ site }: { readonly site: SiteView }) {
  const { cardTesting } = site
  const mayChange = useMay('sites.change')
  const [fault, setFault] = useState<ApiFault | null>(null)
  const [pending, setPending] = useState<Setting | null>(null)
  const [seenRevision, setSeenRevision] = useState(cardTesting.revision)
  const draft = useDraft<Rules>({
    rules: cardTesting.rules,
    exceptAddresses: cardTesting.exceptAddresses,
  })
  const { rules, exceptAddresses } = draft.values
  const isDirty = draft.changed.length > 0
  if (!isDirty && seenRevision !== cardTesting.revision) setSeenRevision(cardTesting.revision)
  const tryOut = useMutation({
    mutationFn: () =>
      call(routes.sites.tryRules, {
        path: { siteId: site.id },
        body: { rules, exceptAddresses },
      }),
    onSuccess: () => setFault(null),
    onError: (error) => setFault(error as unknown as ApiFault),
  })
  const setRules = (changed: readonly CardTestingRule[]): void => {
    tryOut.reset()
    setFault(null)
    draft.set('rules', changed)
  }
  const setRule = (at: number, change: Partial<CardTestingRule>): void =>
    setRules(rules.with(at, { ...(rules[at] ?? NEW_RULE), ...change }))
  const errorAt = (field: string): string | undefined =>
    fault?.field === field ? fault.message.split(' rules.')[0] : undefined

  return (
    <Stack maw={1300}>
      <Text size="sm" c="dimmed">
        Card testers try stolen card numbers to see which ones work. Velocity rules limit the
        payments, cards or declines per subject within a time window. Payments with saved cards,
        renewals and merchant-initiated payments are never counted.
      </Text>
      <Paper withBorder p="md">
        <Group justify="space-between" gap="sm">
          <Stack gap={2} flex={1} miw={220}>
            <Text fw={600} size="sm">
              Velocity rules: {SETTINGS[cardTesting.mode].label.toLowerCase()}
            </Text>
            <Text size="sm" c="dimmed">
              {SETTINGS[cardTesting.mode].text}
            </Text>
          </Stack>
          <SegmentedControl
            aria-label="Velocity rules mode"
            value={cardTesting.mode}
            disabled={!mayChange || cardTesting.rules.length === 0}
            data={Object.entries(SETTINGS).map(([value, { label }]) => ({ value, label }))}
            onChange={(value) => setPending(value as Setting)}
          />
        </Group>
        {cardTesting.hits.length > 0 && (
          <Table.ScrollContainer minWidth={420} type="native" mt="sm">
            <Table aria-label="Rule hits">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Rule</Table.Th>
                  <Table.Th ta="right">Last hour</Table.Th>
                  <Table.Th ta="right">Last 24 hours</Table.Th>
                  <Table.Th ta="right">Declined</Table.Th>
                  <Table.Th>Last hit</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {cardTesting.hits.map((hit) => (
                  <Table.Tr key={hit.rule}>
                    <Table.Td>{hit.rule}</Table.Td>
                    <Table.Td ta="right">{hit.lastHour}</Table.Td>
                    <Table.Td ta="right">{hit.lastDay}</Table.Td>
                    <Table.Td ta="right">{hit.refused}</Table.Td>
                    <Table.Td>
                      <When at={hit.lastAt} /> (TRANS_ID {hit.lastTransactionId})
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Paper>
      <Fieldset legend="Rules" disabled={!mayChange}>
        <Stack gap="sm">
          {rules.length === 0 && (
            <Group gap="sm">
              <Text size="sm">No velocity rules yet.</Text>
              {mayChange && (
                <Button size="xs" onClick={() => setRules(DEFAULT_CARD_TESTING_RULES)}>
                  Start with the default rules
                </Button>
              )}
            </Group>
          )}
          {rules.map((rule, at) => (
            <Paper key={at} withBorder p="xs" role="group" aria-label={`Rule ${rule.name}`}>
              <div className={classes.rule}>
                <TextInput
                  size="xs"
                  label="Name"
                  value={rule.name}
                  error={errorAt(`rules.${at}.name`)}
                  onChange={(event) => setRule(at, { name: event.currentTarget.value })}
                />
                <Select
                  size="xs"
                  label="Per"
                  allowDeselect={false}
                  data={Object.keys(CARD_TESTING_SUBJECTS)}
                  value={rule.subject}
                  error={errorAt(`rules.${at}.subject`)}
                  onChange={(value) =>
                    value !== null && setRule(at, { subject: value as CardTestingRule['subject'] })
                  }
                />
                <Select
                  size="xs"
                  label="Count"
                  allowDeselect={false}
                  data={Object.keys(CARD_TESTING_COUNTS)}
                  value={rule.counts}
                  error={errorAt(`rules.${at}.counts`)}
                  onChange={(value) =>
                    value !== null && setRule(at, { counts: value as CardTestingRule['counts'] })
                  }
                />
                <NumberInput
                  size="xs"
                  label="Limit"
                  min={1}
                  max={rule.counts === 'cards' ? 500 : 100_000}
                  allowDecimal={false}
                  value={rule.limit}
                  error={errorAt(`rules.${at}.limit`)}
                  onChange={(value) => setRule(at, { limit: Number(value) })}
                />
                <NumberInput
                  size="xs"
                  label="Window (seconds)"
                  min={10}
                  max={86_400}
                  allowDecimal={false}
                  value={rule.windowSeconds}
                  error={errorAt(`rules.${at}.windowSeconds`)}
                  onChange={(value) => setRule(at, { windowSeconds: Number(value) })}
                />
                <Select
                  size="xs"
                  label="Decline code"
                  allowDeselect={false}
                  data={CARD_TESTING_CODES.map(String)}
                  value={String(rule.code)}
                  onChange={(value) =>
                    value !== null &&
                    setRule(at, { code: Number(value) as CardTestingRule['code'] })
                  }
                />
                <ActionIcon
                  mt={22}
                  variant="subtle"
                  color="red"
                  aria-label={`Remove rule ${rule.name}`}
                  onClick={() => setRules(rules.toSpliced(at, 1))}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </div>
              <Text size="xs" c="dimmed" mt={4}>
                At most {rule.limit} {CARD_TESTING_COUNTS[rule.counts].split(';')[0]} per{' '}
                {CARD_TESTING_SUBJECTS[rule.subject]} in {spanText(rule.windowSeconds)}. Further
                payments are declined with {rule.code}
                {rule.code === 215 ? ', which invites a later retry' : ', a generic decline'}.
                {rule.subject === 'site'
                  ? ' Reaching this limit stops payments from all customers.'
                  : ''}
                {rule.subject === 'amount'
                  ? ' Do not use this rule if all your products have one price.'
                  : ''}
              </Text>
              {errorAt(`rules.${at}`) !== undefined && (
                <Text size="xs" c="var(--mantine-color-error)" role="alert">
                  {errorAt(`rules.${at}`)}
                </Text>
              )}
            </Paper>
          ))}
          <Text size="xs" c="dimmed">
            Add 1 to 20 rules. Limits are 1 to 100,000, or at most 500 for cards. Windows last 10
            seconds to one day. Two rules cannot count the same thing in equal windows.
          </Text>
          {mayChange && rules.length > 0 && rules.length < 20 && (
            <Group>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} />}
                onClick={() =>
                  setRules([...rules, { ...NEW_RULE, name: `rule-${rules.length + 1}` }])
                }
              >
                Add a rule
              </Button>
            </Group>
          )}
          <TagsInput
            label="Addresses excluded from rules with the subject address"
            description="For example, your office or call center. At most 100 public IP addresses. Press Enter after each."
            value={[...exceptAddresses]}
            error={errorAt('exceptAddresses')}
            onChange={(addresses) => {
              setFault(null)
              draft.set('exceptAddresses', addresses)
            }}
          />
        </Stack>
      </Fieldset>
      <Group gap="sm">
        <Button
          variant="default"
          loading={tryOut.isPending}
          disabled={rules.length === 0}
          onClick={() => tryOut.mutate()}
        >
          Test on the last 7 days
        </Button>
      </Group>
      {fault !== null && (fault.field === null || tryOut.error !== null) && (
        <Alert color="red" role="alert">
          {fault.message}
        </Alert>
      )}
      <Tried result={tryOut.data} isBusy={tryOut.isPending} />
      <SaveBar
        draft={draft}
        describe={DESCRIBE}
        save={async ({ values }) =>
          siteChanged(
            await call(routes.sites.changeRules, {
              path: { siteId: site.id },
              body: { draft: values, seenRevision },
            }),
          )
        }
        onFault={setFault}
        changeDelaySeconds={site.changeDelaySeconds}
        note={
          tryOut.data === undefined
            ? 'You have not tested these rules on past payments.'
            : undefined
        }
      />
      <Confirm
        opened={pending !== null}
        title={`Set velocity rules to ${pending === null ? '' : SETTINGS[pending].label.toLowerCase()}?`}
        action={pending === null ? '' : `Set to ${SETTINGS[pending].label.toLowerCase()}`}
        dangerous={pending === 'off'}
        onClose={() => setPending(null)}
        onConfirm={async () => {
          if (pending === null) return
          siteChanged(
            await call(routes.sites.changeRulesMode, {
              path: { siteId: site.id },
              body: {
                mode: pending,
                seen: { mode: cardTesting.mode, revision: cardTesting.revision },
              },
            }),
          )
          showDone(`Saved. The change takes effect within ${site.changeDelaySeconds} seconds.`)
        }}
      >
        <Text size="sm">{pending !== null && SETTINGS[pending].text}</Text>
        {isDirty && (
          <Text size="sm">
            Your changes to the rules are not saved yet. This setting applies to the saved rules.
          </Text>
        )}
      </Confirm>
    </Stack>
  )
}

function spanText(seconds: number): string {
  if (seconds % 3600 === 0 && seconds > 0)
    return seconds === 3600 ? 'an hour' : `${seconds / 3600} hours`
  if (seconds % 60 === 0 && seconds > 0)
    return seconds === 60 ? 'a minute' : `${seconds / 60} minutes`
  return `${seconds} seconds`
}
