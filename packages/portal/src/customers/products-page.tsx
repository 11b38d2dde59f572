import { ActionIcon, Badge, Button, Group, Select, Stack, Text, Tooltip } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ProductView } from '@tollgate/portal-contract/answers/customers'
import type { SiteSummary } from '@tollgate/portal-contract/answers/shell'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useMay, useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { ProductForm } from './product-form.tsx'
import { useCatalogueSite } from './use-catalogue-site.ts'
import { periodText } from './words.ts'

export function ProductsPage() {
  const { site } = useCatalogueSite()
  if (site === undefined) {
    return (
      <Page title="Products">
        <EmptyState
          title="No sites yet"
          text="Products belong to a site. Ask the operator to create one."
        />
      </Page>
    )
  }
  return <ProductsOfSite key={site.id} site={site} />
}

function ProductsOfSite({ site }: { readonly site: SiteSummary }) {
  const search = useSearch({ from: '/products' })
  const navigate = useNavigate()
  const mayChange = useMay('products.change')
  const { sites } = useSession()
  const { choose } = useCatalogueSite()
  const [adds, setAdds] = useState(false)
  const [switched, setSwitched] = useState<ProductView | null>(null)
  const catalogue = useQuery({
    queryKey: ['products', site.id, search],
    queryFn: ({ signal }) =>
      call(routes.products.catalogue, { query: { site: site.id, ...search }, signal }),
  })
  const actions: Column<ProductView> = {
    key: 'actions',
    title: 'Actions',
    align: 'right',
    cell: (product) => (
      <Tooltip label={product.active ? 'Deactivate' : 'Activate'}>
        <ActionIcon
          variant="subtle"
          color={product.active ? 'red' : 'green'}
          aria-label={`${product.active ? 'Deactivate' : 'Activate'} ${product.name || product.productId}`}
          onClick={() => setSwitched(product)}
        >
          {product.active ? <IconPlayerPause size={18} /> : <IconPlayerPlay size={18} />}
        </ActionIcon>
      </Tooltip>
    ),
  }
  return (
    <Page
      title="Products"
      text={
        catalogue.data?.rule === 'strict'
          ? `Site ${site.name} sells only these products.`
          : `Site ${site.name} sells these products and any other product id that a payment sends.`
      }
      actions={
        mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdds(true)}>
            Add a product
          </Button>
        )
      }
    >
      <Group gap="sm" align="flex-end">
        <SearchField
          placeholder="Id or name"
          value={search.search ?? ''}
          onSearch={(text) =>
            void navigate({
              to: '/products',
              search: text === '' ? {} : { search: text },
            })
          }
        />
        {sites.length > 1 && (
          <Select
            label="Site"
            allowDeselect={false}
            data={sites.map(({ id, name }) => ({ value: id, label: name }))}
            value={site.id}
            onChange={(id) => id !== null && choose(id)}
          />
        )}
      </Group>
      {catalogue.error !== null ? (
        <Fault error={catalogue.error} onRetry={() => void catalogue.refetch()} />
      ) : (
        <DataTable
          label="Products"
          columns={mayChange ? [...COLUMNS, actions] : COLUMNS}
          rows={catalogue.data?.products}
          keyOf={({ productId }) => productId}
          empty={
            search.search === undefined ? (
              <EmptyState
                title="No products yet"
                text="A product with a price and a period is sold as a membership and charged every period. Payments can also define products themselves."
                action={mayChange && <Button onClick={() => setAdds(true)}>Add a product</Button>}
              />
            ) : (
              <EmptyState
                title="No results"
                text={`No product id or name contains “${search.search}”.`}
              />
            )
          }
        />
      )}
      {catalogue.data?.isCut === true && (
        <Text size="sm" c="dimmed">
          Only the first {catalogue.data.products.length} products are shown. Search by id or name
          for others.
        </Text>
      )}
      {adds && <ProductForm site={site} onClose={() => setAdds(false)} />}
      {switched !== null && <SwitchProduct product={switched} onClose={() => setSwitched(null)} />}
    </Page>
  )
}

function SwitchProduct({
  product,
  onClose,
}: {
  readonly product: ProductView
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const { active, memberships, name, productId, siteId } = product
  const shown = name || productId
  const running = memberships.active + memberships.pastDue
  return (
    <Confirm
      opened
      title={active ? `Deactivate ${shown}?` : `Activate ${shown}?`}
      action={active ? 'Deactivate' : 'Activate'}
      dangerous={active}
      onClose={onClose}
      onConfirm={async () => {
        await call(routes.products.setActive, {
          path: { siteId },
          body: { productId, active: !active },
        })
        showDone(active ? `${shown} is deactivated.` : `${shown} is active again.`)
        await queries.invalidateQueries({ queryKey: ['products', siteId] })
      }}
    >
      <Stack gap={6}>
        {active ? (
          <>
            <Text size="sm">
              Within two seconds, payments for it are refused (192). Memberships can no longer
              change to it.
            </Text>
            <Text size="sm">
              {running === 0
                ? 'It has no active memberships.'
                : `Its ${running === 1 ? 'one membership renews' : `${running} memberships renew`} as before, at the same price. To stop a renewal, cancel or change the membership.`}
            </Text>
          </>
        ) : (
          <Text size="sm">
            Customers can buy it again within two seconds. Its active memberships do not change.
          </Text>
        )}
      </Stack>
    </Confirm>
  )
}

const COLUMNS: readonly Column<ProductView>[] = [
  {
    key: 'name',
    title: 'Name',
    cell: ({ name }) =>
      name || (
        <Text span inherit c="dimmed">
          no name
        </Text>
      ),
  },
  { key: 'id', title: 'Id', cell: ({ productId }) => <Copyable text={productId} /> },
  {
    key: 'type',
    title: 'Type',
    cell: ({ terms }) =>
      terms === null ? 'one-time' : terms.type === 'renews' ? 'renews' : 'ends after its period',
  },
  {
    key: 'price',
    title: 'Price',
    align: 'right',
    cell: ({ terms }) =>
      terms !== null && <Amount minor={terms.priceMinor} currency={terms.currency} />,
  },
  {
    key: 'period',
    title: 'Period',
    cell: ({ terms }) => terms !== null && periodText(terms.period),
  },
  {
    key: 'state',
    title: 'State',
    cell: ({ active }) => (
      <StatusBadge state={active ? 'active' : 'ended'} label={active ? 'active' : 'inactive'} />
    ),
  },
  {
    key: 'memberships',
    title: 'Memberships',
    align: 'right',
    cell: ({ productId, terms, memberships: { active, pastDue, cancelScheduled, coming } }) => {
      if (terms === null) return null
      const running = active + pastDue + cancelScheduled
      return (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {coming > 0 && (
            <Badge miw="max-content" color="blue">
              {coming} coming
            </Badge>
          )}
          {pastDue > 0 && (
            <Badge miw="max-content" color="orange">
              {pastDue} past due
            </Badge>
          )}
          {running === 0 ? (
            <Text span inherit c="dimmed">
              0
            </Text>
          ) : (
            <Link
              className="link"
              to="/memberships"
              search={{ product: productId, states: 'active,past_due,cancel_scheduled' }}
            >
              {running}
            </Link>
          )}
        </Group>
      )
    },
  },
]
