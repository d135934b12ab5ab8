import { Skeleton } from '@mantine/core'
import hero from './hero.module.css'

export function HeroSkeleton() {
  return (
    <div className={hero.hero} aria-hidden>
      <Skeleton className={hero.flags} />
      <div>
        <Skeleton width={90} height={14} />
        <Skeleton width="50%" height={32} mt={16} />
        <Skeleton width="80%" height={14} mt={16} />
        <Skeleton width={240} height={54} mt={32} />
        <Skeleton height={6} mt={24} maw={720} />
        <Skeleton width={172} height={44} mt={56} />
      </div>
    </div>
  )
}

export function PostsSkeleton() {
  return (
    <div aria-hidden>
      <Skeleton width={80} height={20} />
      {[1, 2, 3].map((one) => (
        <div key={one} style={{ marginTop: 28 }}>
          <Skeleton width="70%" height={16} />
          <Skeleton height={12} mt={12} />
          <Skeleton width="90%" height={12} mt={8} />
        </div>
      ))}
    </div>
  )
}
