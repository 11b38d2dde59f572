import {
  Alert,
  Button,
  Group,
  Radio,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Select,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SiteSummary } from '@tollgate/portal-contract/answers/shell'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { call, ApiFault } from '../shell/api.ts'

const NEW = { id: '', name: '', kind: 'renews', price: '', metric: 'M', period: '1' }

/** Fields that show what is wrong with them. */
const SHOWN_AT = new Set(['id', 'name', 'price', 'period', 'currency'])

/** Adds a product to a site's catalogue. */
export function ProductForm({
  site,
  onClose,
}: {
  readonly site: SiteSummary
  readonly onClose: () => void
}) {
  const [draft, setDraft] = useState({ ...NEW, currency: site.defaultCurrency })
  const queries = useQueryClient()
  const isMembership = draft.kind !== 'once'
  const add = useMutation({
    mutationFn: () => {
      const { id, name, kind, price, currency, metric, period } = draft
      const terms = isMembership
        ? {
            type: kind === 'ends' ? ('1' as const) : ('2' as const),
            metric,
            period: period.trim(),
            price: price.trim(),
            currency,
          }
        : {}
      return call(routes.products.add, {
        path: { siteId: site.id },
        body: { id: id.trim(), name: name.trim(), ...terms },
      })
    },
    onSuccess: async () => {
      showDone(`${draft.name} added. It can be sold within two seconds.`)
      onClose()
      await queries.invalidateQueries({ queryKey: ['products', site.id] })
    },
  })
  const fault = add.error instanceof ApiFault ? add.error : null
  const field = (name: 'id' | 'name' | 'price' | 'period' | 'currency') => ({
    value: draft[name],
    error: fault?.field === name ? fault.message : undefined,
    onChange: ({
      currentTarget: { value },
    }: {
      readonly currentTarget: { readonly value: string }
    }) => setDraft((old) => ({ ...old, [name]: value })),
  })
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Add a product to ${site.name}`}
      size="lg"
      closeOnClickOutside={false}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!add.isPending) add.mutate()
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput label="Name" required data-autofocus maxLength={255} {...field('name')} />
            <TextInput
              label="Id"
              description="Sent by payments as LI_PROD_ID"
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              required
              maxLength={64}
              {...field('id')}
            />
          </SimpleGrid>
          <Radio.Group
            label="Type"
            value={draft.kind}
            onChange={(kind) => setDraft((old) => ({ ...old, kind }))}
          >
            <Stack gap={6} mt={4}>
              <Radio value="renews" label="Membership that renews until cancelled" />
              <Radio value="ends" label="Membership that ends after one period, without renewal" />
              <Radio value="once" label="One-time product; the payment sets the price" />
            </Stack>
          </Radio.Group>
          {isMembership && (
            <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm">
              <TextInput
                label="Price"
                required
                inputMode="decimal"
                placeholder="19.95"
                {...field('price')}
              />
              <TextInput label="Currency" required maxLength={3} {...field('currency')} />
              <TextInput label="Every" required inputMode="numeric" {...field('period')} />
              <Select
                label="Unit"
                allowDeselect={false}
                data={[
                  { value: 'D', label: 'days' },
                  { value: 'M', label: 'months' },
                  { value: 'Y', label: 'years' },
                ]}
                value={draft.metric}
                onChange={(metric) => setDraft((old) => ({ ...old, metric: metric ?? 'M' }))}
              />
            </SimpleGrid>
          )}
          <Text size="sm" c="dimmed">
            You cannot change a product later, so customers only pay what they agreed to. For
            another price, add a new product and move memberships to it.
          </Text>
          {add.error !== null && !SHOWN_AT.has(fault?.field ?? '') && (
            <Alert color="red" role="alert">
              {add.error.message}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={add.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
