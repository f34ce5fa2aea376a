import { Check } from 'lucide-react';
import { Button } from '#app/ui/button.tsx';
import { tierColours } from '#app/ui/tier-colours.ts';
import type { Plan } from '#contract/entities/user.ts';
import { priceText } from '#contract/rules/plans.ts';
import styles from './plan-card.module.css';
import type { PlanOffer } from './plan-offer.ts';

interface Props {
  plan: Omit<Plan, 'features'> & { readonly features: readonly string[] };
  offer: PlanOffer;
  onChoose: () => void;
}

/** A plan with its price, features and button; the popular one has a folded corner. */
export function PlanCard({ plan, offer, onChoose }: Props) {
  const { tier, name, description, features, popular } = plan;
  return (
    <li className={`${styles.card} ${popular ? styles.popular : ''}`}>
      {popular && <Fold />}
      <div className={styles.head}>
        <h3 className={`${styles.name} ${tierColours[tier]}`}>{name}</h3>
        {popular && <p className={styles.badge}>Most Popular</p>}
      </div>
      <Price plan={plan} />
      <p className={styles.description}>{description}</p>
      <ul className={styles.features}>
        {features.map((feature) => (
          <li key={feature}>
            <Check aria-hidden="true" />
            <span className={styles.words}>{feature}</span>
          </li>
        ))}
      </ul>
      <Button
        kind={popular ? 'primary' : 'line'}
        isBlock
        label={offer.label}
        isDisabled={!offer.isChoosable}
        onPress={onChoose}
      />
    </li>
  );
}

/** A large amount, with the billing period in small type beside it. */
function Price({ plan }: { plan: Pick<Plan, 'price' | 'duration'> }) {
  const [amount, duration] = priceText(plan).split('/');
  return (
    <p className={styles.price}>
      {amount}
      {duration && <span className={styles.duration}>/{duration}</span>}
    </p>
  );
}

function Fold() {
  return (
    <svg className={styles.fold} viewBox="0 0 34 34" aria-hidden="true">
      <path className={styles.behind} d="M0 0h34v34Z" />
      <path className={styles.flap} d="M0 0 34 34H4a4 4 0 0 1-4-4Z" />
    </svg>
  );
}
