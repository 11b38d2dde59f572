import { Box, Fieldset, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { DEFAULT_RETRY_DAYS, retryDaysFault } from '@tollgate/kernel/retry-plan'
import type { SiteSettings, SiteView } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { useMay } from '../session/session.ts'
import { call, type ApiFault } from '../shell/api.ts'
import { useDraft } from './draft.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import { siteChanged } from './settings-queries.ts'
import classes from './settings.module.css'

interface General {
  readonly name: string
  readonly defaultCurrency: string
  readonly tolerance: 'strict' | 'wide'
  readonly defaultProduct: string
  /** `1, 3, 5, 7`; empty for the usual ones. */
  readonly retryDays: string
}

const USUAL = DEFAULT_RETRY_DAYS.join(', ')

const DESCRIBE: Describe<General> = {
  name: { label: 'Name', text: String },
  defaultCurrency: { label: 'Default currency', text: String },
  tolerance: { label: 'Tolerance', text: String },
  defaultProduct: { label: 'Default product', text: String },
  retryDays: {
    label: 'Retry days',
    text: (days) => (days === '' ? `default (${USUAL})` : days),
  },
}

export function GeneralTab({ site }: { readonly site: SiteView }) {
  const { settings, accounts, products } = site
  const mayChange = useMay('sites.change')
  const [fault, setFault] = useState<ApiFault | null>(null)
  const draft = useDraft<General>({
    name: settings.name,
    defaultCurrency: settings.defaultCurrency,
    tolerance: settings.tolerance,
    defaultProduct: settings.defaultProduct,
    retryDays: settings.renewalRetryDays?.join(', ') ?? '',
  })
  const { values, set } = draft
  const errorAt = (field: string): string | undefined =>
    fault?.field === field ? fault.message : undefined
  const change = <Name extends keyof General>(name: Name, value: General[Name]): void => {
    if (fault?.field === FIELD_OF[name]) setFault(null)
    set(name, value)
  }
  const days = readDays(values.retryDays)
  const daysFault =
    days === null
      ? null
      : days.some(Number.isNaN)
        ? 'Enter whole days separated by commas, such as 1, 3, 5, 7.'
        : retryDaysFault(days)
  const currencies = [
    ...new Set([
      ...accounts.filter(({ mode }) => mode === site.mode).flatMap((account) => account.currencies),
      values.defaultCurrency,
    ]),
  ].toSorted()

  const save = async (): Promise<void> => {
    const names = draft.changed
    const pick = (of: General): Partial<SiteSettings> =>
      Object.fromEntries(
        names.map((name) => [
          FIELD_OF[name],
          name === 'retryDays' ? readDays(of.retryDays) : of[name],
        ]),
      )
    siteChanged(
      await call(routes.sites.change, {
        path: { siteId: site.id },
        body: { changes: pick(values), seen: pick(draft.seen) },
      }),
    )
  }

  return (
    <Stack className={classes.panel}>
      <Fieldset legend="The site" disabled={!mayChange}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="Shown to portal users only; customers never see it."
            maxLength={100}
            value={values.name}
            error={errorAt('name')}
            onChange={(event) => change('name', event.currentTarget.value)}
          />
          <Select
            label="Default currency"
            description="Used when a request names no currency. The site's merchant accounts must support it."
            data={currencies}
            allowDeselect={false}
            inputContainer={(input) => <Box maw={260}>{input}</Box>}
            value={values.defaultCurrency}
            error={errorAt('defaultCurrency')}
            onChange={(value) => value !== null && change('defaultCurrency', value)}
          />
          <Radio.Group
            label="Tolerance"
            value={values.tolerance}
            onChange={(value) => change('tolerance', value as General['tolerance'])}
          >
            <Stack gap={6} mt={6}>
              <Radio
                value="strict"
                label="Strict"
                description="Requests must have version 4.14. Captures and refunds must state an amount."
              />
              <Radio
                value="wide"
                label="Wide"
                description="Accepts other versions too. A capture or refund without an amount is for all that is left."
              />
            </Stack>
          </Radio.Group>
        </Stack>
      </Fieldset>
      <Fieldset legend="Products" disabled={!mayChange}>
        <Stack gap="sm">
          <CatalogueSwitch site={site} />
          <TextInput
            label="Default product"
            description={`Used when a line names no product. ${products.length === 0 ? 'The catalogue is empty.' : `Products in the catalogue: ${products.length === 500 ? '500 or more' : products.length}.`}`}
            maw={360}
            maxLength={64}
            value={values.defaultProduct}
            error={errorAt('defaultProduct')}
            onChange={(event) => change('defaultProduct', event.currentTarget.value)}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="Renewals of memberships" disabled={!mayChange}>
        <Stack gap="sm">
          <Text size="sm">
            A declined renewal is retried on these days after its first failure. After the last
            retry the membership is cancelled. Attempts that a card network forbids are never made.
          </Text>
          <Radio.Group
            value={values.retryDays === '' ? 'usual' : 'own'}
            onChange={(value) => change('retryDays', value === 'usual' ? '' : USUAL)}
            aria-label="Retry days"
          >
            <Stack gap={6}>
              <Radio value="usual" label={`Default days: ${USUAL}`} />
              <Radio value="own" label="Custom days" />
            </Stack>
          </Radio.Group>
          {values.retryDays !== '' && (
            <TextInput
              label="Days after the first failure"
              description="At most 15 whole days from 1 to 30, in ascending order."
              maw={360}
              value={values.retryDays}
              error={errorAt('renewalRetryDays') ?? daysFault}
              onChange={(event) => change('retryDays', event.currentTarget.value)}
            />
          )}
        </Stack>
      </Fieldset>
      <SaveBar
        draft={draft}
        describe={DESCRIBE}
        save={save}
        onFault={setFault}
        changeDelaySeconds={site.changeDelaySeconds}
      />
    </Stack>
  )
}

const FIELD_OF: Readonly<Record<keyof General, keyof SiteSettings>> = {
  name: 'name',
  defaultCurrency: 'defaultCurrency',
  tolerance: 'tolerance',
  defaultProduct: 'defaultProduct',
  retryDays: 'renewalRetryDays',
}

/** At once, behind a question: it decides what is sold. */
function CatalogueSwitch({ site }: { readonly site: SiteView }) {
  const [pending, setPending] = useState<'open' | 'strict' | null>(null)
  const active = site.products.filter((product) => product.active).length
  return (
    <>
      <Radio.Group
        label="Catalogue"
        value={site.catalogue}
        onChange={(value) => setPending(value as 'open' | 'strict')}
      >
        <Stack gap={6} mt={6}>
          <Radio value="open" label="Open" description="Payments can use any product id." />
          <Radio
            value="strict"
            label="Strict"
            description="Payments can only use active products of the catalogue."
          />
        </Stack>
      </Radio.Group>
      <Confirm
        opened={pending !== null}
        title={`Set the catalogue to ${pending ?? ''}?`}
        action={`Set to ${pending ?? ''}`}
        onClose={() => setPending(null)}
        onConfirm={async () => {
          if (pending === null) return
          siteChanged(
            await call(routes.sites.changeCatalogue, {
              path: { siteId: site.id },
              body: { catalogue: pending, seen: site.catalogue },
            }),
          )
          showDone(`Saved. The change takes effect within ${site.changeDelaySeconds} seconds.`)
        }}
      >
        <Text size="sm">
          {pending === 'open'
            ? 'Payments can then use any product id.'
            : `Only payments for the ${active} active product${active === 1 ? '' : 's'} will be accepted. Memberships continue.`}
        </Text>
      </Confirm>
    </>
  )
}

/** Null: the usual ones. */
function readDays(text: string): number[] | null {
  if (text.trim() === '') return null
  return text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map(Number)
}
