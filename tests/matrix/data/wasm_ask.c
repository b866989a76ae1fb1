/* Asks the page, which answers later. */
int ask(int question);

int sum_of_answers(int count) {
  int sum = 0;
  for (int question = 1; question <= count; question++) sum += ask(question);
  return sum;
}
