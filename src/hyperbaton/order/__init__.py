"""Permutations, their trees and forests, and the measures on them."""
