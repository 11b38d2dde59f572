import { useState } from 'react'
import { OneOrAny } from '../parts/one-or-any.tsx'
import { recentMonths } from '../parts/recent-months.ts'
import { dayText } from '../parts/when.tsx'

interface MonthFilterProps {
  readonly chosen: string | undefined
  readonly onChange: (month: string | undefined) => void
}

/** Chooses the month in which monitoring programmes count a case. */
export function MonthFilter({ chosen, onChange }: MonthFilterProps) {
  const [recent] = useState(() => recentMonths(dayText(new Date().toISOString())))
  return (
    <OneOrAny
      label="Counted in"
      width={130}
      any="Any month"
      options={recent}
      chosen={chosen}
      onChange={onChange}
    />
  )
}
