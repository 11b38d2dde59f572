import { Select } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'

/**
 * A test site of the merchant, chosen here or at the head of the page; null where there is none.
 */
export function useTestSite(): readonly [string | null, ReactNode] {
  const { sites } = useSession()
  const { siteId } = useSiteChoice()
  const [own, setOwn] = useState<string | null>(null)
  const test = sites.filter(({ mode }) => mode === 'test')
  const chosen = test.find(({ id }) => id === (own ?? siteId))?.id ?? test[0]?.id ?? null
  const choice = (
    <Select
      key="site"
      label="Test site"
      w={220}
      allowDeselect={false}
      data={test.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
      value={chosen}
      onChange={setOwn}
    />
  )
  return [chosen, choice]
}
