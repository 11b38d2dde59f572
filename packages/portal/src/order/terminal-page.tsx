import {
  Alert,
  Button,
  Collapse,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type {
  EarlierPayment,
  SavedCardFound,
  TerminalSite,
} from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { useEffect, useRef, useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { newKey } from '../parts/operation-key.ts'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMay } from '../session/session.ts'
import { useSite } from '../session/site.ts'
import { call, ApiFault } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { CardFields, type CardFieldsHandle, type EnteredCard } from './card-fields.tsx'
import { DuplicateWarning } from './duplicate-warning.tsx'
import { readAmount } from './read-amount.ts'
import { SavedCardPicker } from './saved-card-picker.tsx'
import { TerminalLines, type TerminalLine } from './terminal-lines.tsx'
import { TerminalResult, type TerminalDone } from './terminal-result.tsx'

const route = getRouteApi('/terminal')

/** The saved card that a link asks for. */
interface Wanted {
  readonly customerId: string
  readonly paymentMethodId: string | null
  readonly mode: 'test' | 'live' | null
}

/** Payments that are taken by hand, for a customer at the telephone or at the counter. */
export function TerminalPage() {
  const sites = useQuery({
    queryKey: ['terminal', 'sites'],
    queryFn: ({ signal }) => call(routes.terminal.sites, { signal }),
  })
  const [done, setDone] = useState<TerminalDone | null>(null)
  const [round, setRound] = useState(0)
  const { customer, card, mode } = route.useSearch()
  const wanted =
    customer === undefined || round > 0
      ? null
      : { customerId: customer, paymentMethodId: card ?? null, mode: mode ?? null }
  if (done !== null) {
    return (
      <TerminalResult
        done={done}
        onNext={() => {
          setDone(null)
          setRound(round + 1)
        }}
      />
    )
  }
  return (
    <Page
      title="Virtual terminal"
      text="Take a payment by phone or mail. You need the card details and the cardholder's consent."
    >
      {sites.error !== null && <Fault error={sites.error} onRetry={() => void sites.refetch()} />}
      {sites.isPending && <Skeleton height={320} />}
      {sites.data?.length === 0 && (
        <EmptyState
          title="No sites yet"
          text="Payments belong to a site. Ask the operator to create one."
        />
      )}
      {sites.data !== undefined && sites.data.length > 0 && (
        <TerminalForm
          key={`${round} ${customer} ${card}`}
          sites={sites.data}
          wanted={wanted}
          onDone={setDone}
        />
      )}
    </Page>
  )
}

type Does = 'sale' | 'authorization' | 'check'

const VERBS: Readonly<Record<Does, string>> = {
  sale: 'Charge',
  authorization: 'Authorize',
  check: 'Check card',
}
const EMPTY = { firstName: '', lastName: '', email: '', phone: '' }
const NO_ADDRESS = { street: '', street2: '', city: '', state: '', postalCode: '', country: '' }

interface TerminalFormProps {
  readonly sites: readonly TerminalSite[]
  readonly wanted: Wanted | null
  readonly onDone: (done: TerminalDone) => void
}

function TerminalForm({ sites, wanted, onDone }: TerminalFormProps) {
  const current = useSite()
  const maySetUp = useMay('sites.change')
  const [siteId, setSiteId] = useState(() => {
    // A saved card is charged at sites of its own mode.
    const able = sites.filter(
      ({ mode }) => wanted === null || wanted.mode === null || mode === wanted.mode,
    )
    return able.find(({ id }) => id === current?.id)?.id ?? able[0]?.id ?? sites[0]?.id ?? ''
  })
  const site = sites.find(({ id }) => id === siteId) ?? sites[0]
  const [accountId, setAccountId] = useState<string | null>(null)
  const account = site?.accounts.find(({ id }) => id === accountId) ?? site?.accounts[0]
  const [chosenCurrency, setCurrency] = useState<string | null>(null)
  const currencies = account?.currencies ?? []
  const currency =
    chosenCurrency !== null && currencies.includes(chosenCurrency)
      ? chosenCurrency
      : currencies.includes(site?.defaultCurrency ?? '')
        ? (site?.defaultCurrency ?? '')
        : (currencies[0] ?? '')
  const [does, setDoes] = useState<Does>('sale')
  const [source, setSource] = useState<'new' | 'saved'>(wanted === null ? 'new' : 'saved')
  const [saved, setSaved] = useState<SavedCardFound | null>(null)
  const [lines, setLines] = useState<readonly TerminalLine[]>([{ product: '', amount: '' }])
  const [reference, setReference] = useState('')
  const [customer, setCustomer] = useState(EMPTY)
  const [billing, setBilling] = useState(NO_ADDRESS)
  const [tries, setTries] = useState(0)
  const showFaults = tries > 0
  const form = useRef<HTMLFormElement>(null)
  const [earlier, setEarlier] = useState<EarlierPayment | null>(null)
  // A card is entered once: a warning or a fault in between must not ask for it again.
  const [entered, setEntered] = useState<EnteredCard | null>(null)
  const [key, setKey] = useState(newKey)
  const fields = useRef<CardFieldsHandle>(null)

  const readings = lines.map(({ amount }) => readAmount(amount, currency, null))
  const total = readings.reduce<bigint | null>(
    (sum, { minor }) => (sum === null || minor === null ? null : sum + minor),
    0n,
  )
  const isComplete = (does === 'check' || total !== null) && (source === 'new' || saved !== null)

  const pay = useMutation({
    mutationFn: async () => {
      if (site === undefined) return
      let card = entered
      if (source === 'new' && card === null) {
        if (fields.current === null) throw new Error('The card fields are still loading.')
        card = await fields.current.tokenize()
        setEntered(card)
      }
      const answer = await call(routes.terminal.pay, {
        body: {
          key,
          does,
          siteId: site.id,
          accountId: account?.id ?? null,
          currency,
          lines:
            does === 'check'
              ? []
              : lines.map(({ product, amount }) => ({ product, amount: amount.trim() })),
          card:
            source === 'saved' && saved !== null
              ? {
                  kind: 'saved',
                  customerId: saved.customerId,
                  paymentMethodId: saved.paymentMethodId,
                }
              : {
                  kind: 'token',
                  token: card?.token ?? '',
                  last4: card?.last4 ?? '',
                  expiryMonth: Number(card?.expiry.slice(0, 2)),
                  expiryYear: Number(card?.expiry.slice(2)),
                },
          customer,
          billing,
          reference,
          duplicateOk: earlier !== null,
        },
      })
      if (answer.kind === 'duplicate') return setEarlier(answer.earlier)
      if (answer.kind === 'refused') throw new Error(answer.sentence)
      await everythingChanged()
      const shown = source === 'saved' ? saved : card
      onDone({
        answer,
        card: `${shown?.brand ?? ''} •••• ${shown?.last4 ?? ''}`,
        site,
        reference,
        at: answerTime(),
      })
    },
    onError: (error) => {
      // A final refusal under this key needs a new key; a request without a response keeps it.
      if (
        !(error instanceof ApiFault) ||
        error.status === 0 ||
        error.status >= 500 ||
        error.code === 'still_running'
      )
        return
      setKey(newKey())
      if (error.field === 'card') setEntered(null)
    },
  })

  const submit = (): void => {
    setTries(tries + 1)
    if (isComplete && !pay.isPending) pay.mutate()
  }
  // A missing field may be out of sight: the page scrolls to the first one.
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [tries])
  const again = (): void => {
    setEarlier(null)
    setKey(newKey())
  }

  if (site === undefined) return null
  const amount = total === null || does === 'check' ? '' : ` ${amountText(total, currency)}`
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack maw={760} gap="md">
        <SegmentedControl
          aria-label="Payment type"
          data={[
            { value: 'sale', label: 'Sale' },
            { value: 'authorization', label: 'Authorization' },
            { value: 'check', label: 'Card check' },
          ]}
          value={does}
          onChange={(value) => {
            setDoes(value as Does)
            again()
          }}
          style={{ alignSelf: 'flex-start' }}
        />
        <Panel title="Payment">
          <Stack gap="sm">
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <Select
                label="Site"
                allowDeselect={false}
                data={sites.map(({ id, name, mode }) => ({
                  value: id,
                  label: `${name}${mode === 'test' ? ' (test)' : ''}`,
                }))}
                value={site.id}
                onChange={(value) => {
                  setSiteId(value ?? site.id)
                  setAccountId(null)
                  setSaved(null)
                  setEntered(null)
                  again()
                }}
              />
              <Select
                label="Account"
                allowDeselect={false}
                data={site.accounts.map(({ id, name }) => ({
                  value: id,
                  label: `${name} (${id})`,
                }))}
                value={account?.id ?? null}
                onChange={(value) => setAccountId(value)}
              />
              <Select
                label="Currency"
                allowDeselect={false}
                searchable
                data={[...currencies]}
                value={currency}
                onChange={(value) => {
                  setCurrency(value)
                  again()
                }}
              />
            </Group>
            {does !== 'check' && (
              <TerminalLines
                lines={lines}
                currency={currency}
                showFaults={showFaults}
                onChange={(next) => {
                  setLines(next)
                  again()
                }}
              />
            )}
            <TextInput
              label="Your order id"
              description="Optional"
              maxLength={64}
              value={reference}
              onChange={(event) => setReference(event.currentTarget.value)}
            />
          </Stack>
        </Panel>
        <Panel
          title="Card"
          actions={
            <SegmentedControl
              size="xs"
              aria-label="Which card"
              data={[
                { value: 'new', label: 'New card' },
                { value: 'saved', label: 'Saved card' },
              ]}
              value={source}
              onChange={(value) => {
                setSource(value as 'new' | 'saved')
                setEntered(null)
                again()
              }}
            />
          }
        >
          {source === 'saved' ? (
            <Stack gap="xs">
              <SavedCardPicker
                siteId={site.id}
                wanted={wanted}
                chosen={saved}
                onChoose={(card) => {
                  setSaved(card)
                  again()
                }}
              />
              {showFaults && saved === null && (
                <Alert color="red" role="alert">
                  Choose a card.
                </Alert>
              )}
            </Stack>
          ) : site.hasTokenKey ? (
            entered === null ? (
              <CardFields key={site.id} ref={fields} siteId={site.id} onSubmit={submit} />
            ) : (
              <Alert variant="light" color="gray" tabIndex={-1} ref={focusIfLost}>
                <Group justify="space-between">
                  {entered.brand} ending in {entered.last4}, expires{' '}
                  {entered.expiry.replace(/^../, '$&/')}
                  <Button
                    variant="default"
                    size="compact-sm"
                    onClick={() => {
                      setEntered(null)
                      again()
                    }}
                  >
                    Enter another card
                  </Button>
                </Group>
              </Alert>
            )
          ) : (
            <Alert color="orange" title="You cannot enter cards for this site yet">
              Card fields need a token key, and this site has none.{' '}
              {maySetUp ? (
                <>
                  Create one on{' '}
                  <LinkAnchor
                    inherit
                    underline="always"
                    to="/settings/sites/$siteId"
                    params={{ siteId: site.id }}
                    search={{ tab: 'tokens' }}
                  >
                    the site's Card fields tab
                  </LinkAnchor>
                  .
                </>
              ) : (
                "An owner or admin can create one in the site's settings."
              )}{' '}
              You can still charge saved cards.
            </Alert>
          )}
        </Panel>
        <Collapse expanded={source === 'new'}>
          <CustomerPanel
            customer={customer}
            billing={billing}
            onCustomer={setCustomer}
            onBilling={setBilling}
          />
        </Collapse>
        {earlier !== null && <DuplicateWarning earlier={earlier} />}
        {pay.error !== null && (
          <Alert color="red" role="alert">
            {pay.error.message}
          </Alert>
        )}
        <Group>
          <Button
            type="submit"
            size="md"
            loading={pay.isPending}
            disabled={source === 'new' && !site.hasTokenKey}
            color={earlier === null ? undefined : 'red'}
          >
            {VERBS[does]}
            {amount}
            {earlier === null ? '' : ' anyway'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The frame goes when its card has a token: the focus would start at the top of the page. */
function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus()
}

/** The browser's own time, for the slip. */
function answerTime(): string {
  return new Date(performance.timeOrigin + performance.now()).toISOString()
}

interface CustomerPanelProps {
  readonly customer: typeof EMPTY
  readonly billing: typeof NO_ADDRESS
  readonly onCustomer: (customer: typeof EMPTY) => void
  readonly onBilling: (billing: typeof NO_ADDRESS) => void
}

const CUSTOMER_FIELDS = [
  ['firstName', 'First name'],
  ['lastName', 'Last name'],
  ['email', 'E-mail'],
  ['phone', 'Phone'],
] as const
const BILLING_FIELDS = [
  ['street', 'Street and number'],
  ['postalCode', 'Postal code'],
  ['city', 'City'],
  ['state', 'State'],
  ['country', 'Country code, such as US'],
] as const

function CustomerPanel({ customer, billing, onCustomer, onBilling }: CustomerPanelProps) {
  return (
    <Panel title="Customer and billing address">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {CUSTOMER_FIELDS.map(([name, label]) => (
            <TextInput
              key={name}
              label={label}
              maxLength={255}
              autoComplete="off"
              value={customer[name]}
              onChange={(event) => onCustomer({ ...customer, [name]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {BILLING_FIELDS.map(([name, label]) => (
            <TextInput
              key={name}
              label={label}
              maxLength={name === 'country' ? 2 : 255}
              autoComplete="off"
              value={billing[name]}
              onChange={(event) => onBilling({ ...billing, [name]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Panel>
  )
}
