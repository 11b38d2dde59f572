import { Select } from '@mantine/core'
import { useState } from 'react'
import { recentMonths } from '../parts/recent-months.ts'
import { dayText } from '../parts/when.tsx'

interface MonthFilterProps {
  readonly chosen: string | undefined
  readonly onChange: (month: string | undefined) => void
}

/** Chooses the month in which monitoring programmes count a case. */
export function MonthFilter({ chosen, onChange }: MonthFilterProps) {
  const [recent] = useState(() => recentMonths(dayText(new Date().toISOString())))
  const months = chosen === undefined || recent.includes(chosen) ? recent : [chosen, ...recent]
  return (
    <Select
      label="Counted in"
      w={130}
      data={[{ value: '', label: 'Any month' }, ...months]}
      value={chosen ?? ''}
      onChange={(value) => onChange(value === null || value === '' ? undefined : value)}
      allowDeselect={false}
    />
  )
}
