"""What several networks of the zoo are made of."""
