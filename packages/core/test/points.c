/* Makes the table of scoring.test.ts: points of a solve in single precision, as boards of existing clients have them.
   cc -O0 -ffp-contract=off points.c -lm && ./a.out */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  const int bonuses[] = {111, 116, 134, 139, 157, 10, 30, 50, 1000};
  for (unsigned i = 0; i < sizeof bonuses / sizeof *bonuses; i++) {
    const volatile float part = (float)bonuses[i] / 1000.0f;
    const volatile float factor = part + 1.0f;
    uint32_t sum = 0;
    for (int score = 1; score <= 100000; score++) {
      const volatile float points = (float)score * factor;
      sum = sum * 31u + (uint32_t)nearbyintf(points);
    }
    printf("    [%d, %u],\n", bonuses[i], sum);
  }
  return 0;
}
