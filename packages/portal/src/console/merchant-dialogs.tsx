import { Select, Text, TextInput } from '@mantine/core'
import { timeZones } from '@tollgate/kernel/time-zone'
import type { ConsoleMerchant } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants, consolePortalUsers } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import type { ShownLink } from '../users/link-shown.tsx'
import { useGo } from './console-link.tsx'

/** Asks for name and time zone of a new merchant, and goes to its page. */
export function NewMerchant({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [timeZone, setTimeZone] = useState('UTC')
  const go = useGo()
  const create = async (): Promise<void> => {
    const { id } = await call(consoleMerchants.create, { body: { name: name.trim(), timeZone } })
    showDone(`Merchant ${id} was created.`)
    await everythingChanged()
    go(`/merchants/${id}`)
  }
  return (
    <Confirm
      opened
      title="Create a merchant"
      action="Create merchant"
      disabled={name.trim() === ''}
      onConfirm={create}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Time zone"
        description="Days of limits, batches and lists begin at its midnight."
        searchable
        allowDeselect={false}
        data={[...timeZones()]}
        limit={50}
        value={timeZone}
        onChange={(zone) => setTimeZone(zone ?? 'UTC')}
        nothingFoundMessage="No such zone"
      />
    </Confirm>
  )
}

interface OfMerchant {
  readonly merchant: ConsoleMerchant
  readonly onClose: () => void
}

/** Asks for name and default currency of a new site. */
export function NewSite({ merchant: { id, name: owner }, onClose }: OfMerchant) {
  const [name, setName] = useState('')
  const [currency, setCurrency] = useState('USD')
  const create = async (): Promise<void> => {
    const body = { name: name.trim(), defaultCurrency: currency.trim() }
    const { id: site } = await call(consoleMerchants.createSite, { path: { id }, body })
    showDone(`Site ${site} was created.`)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Create a site of ${owner}`}
      action="Create site"
      disabled={name.trim() === ''}
      onConfirm={create}
      onClose={onClose}
    >
      <Text size="sm">
        A new site is in test mode. Two portal users of the merchant move it to live mode.
      </Text>
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Default currency"
        description="Of a request that names none, such as EUR."
        required
        maxLength={3}
        value={currency}
        onChange={(event) => setCurrency(event.currentTarget.value)}
      />
    </Confirm>
  )
}

/** Asks for the owner of a merchant that has no portal user. */
export function InviteFirst({
  merchant: { id, name: merchant },
  onClose,
  onLink,
}: OfMerchant & { readonly onLink: (shown: ShownLink) => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const invite = async (): Promise<void> => {
    const body = { email, name }
    const { link } = await call(consolePortalUsers.inviteFirst, { path: { id }, body })
    onLink({ link, name })
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Invite the owner of ${merchant}`}
      action="Create link"
      disabled={email === '' || name === ''}
      onConfirm={invite}
      onClose={onClose}
    >
      <Text size="sm">The first portal user is an owner, and invites the others.</Text>
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="E-mail"
        required
        inputMode="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </Confirm>
  )
}
