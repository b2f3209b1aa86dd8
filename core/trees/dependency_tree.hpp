// A dependency tree as an ordered forest. Children and roots are in the order of the sentence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/errors.hpp"

namespace hyperbaton {

// The message says which token is wrong. Tokens count from 1, as heads do.
class NotATree : public InputError {
 public:
  using InputError::InputError;
};

// A postorder of the nodes: descendants come before their ancestors. Node n is an artificial root that makes
// the forest a tree; it is never matched or counted.
struct Postorder {
  std::vector<std::int32_t> first;    // the first node of the subtree, a leaf; the subtree is first[x]..x
  std::vector<std::int32_t> node;     // the number of the node in the postorder from left to right
  std::vector<std::uint8_t> keyroot;  // whether no ancestor has the same first node
  std::int64_t work = 0;              // the total size of the subtrees of all keyroots that are not leaves

  void resize(std::size_t n) {
    first.resize(n + 1);
    node.resize(n + 1);
    keyroot.resize(n + 1);
    work = 0;
  }
  void set(std::int32_t x, std::int32_t from, std::int32_t name, bool is_keyroot) {
    first[x] = from;
    node[x] = name;
    keyroot[x] = is_keyroot;
    if (is_keyroot && from < x) work += x - from + 1;
  }
};

// Nodes are numbered in postorder from 0; n is the artificial root.
class DependencyTree {
 public:
  static constexpr std::size_t longest = (std::size_t{1} << 24) - 1;

  std::vector<std::int32_t> token;   // the token of each node, from 0
  std::vector<std::int32_t> pre;     // the preorder position of each node; -1 for the artificial root
  std::vector<std::int32_t> at_pre;  // the node at each preorder position
  Postorder left, right;             // the postorder, and that of the mirrored tree: the reversed preorder

  std::int32_t size() const { return static_cast<std::int32_t>(token.size()); }
  std::int32_t subtree_size(std::int32_t x) const { return x - left.first[x] + 1; }
  // The last node of the subtree that can be matched: x, unless x is the artificial root.
  std::int32_t last(std::int32_t x) const { return std::min(x, size() - 1); }

  // Heads count from 1; a root has the head 0. The tree need not be projective.
  template <class Value>
  void load(std::span<const Value> heads) {
    if (heads.size() > longest) throw NotATree("a tree has fewer than 2^24 tokens");
    const auto n = static_cast<std::int32_t>(heads.size());
    head_.assign(n + 1, 0);
    first_child_.assign(n + 1, 0);
    next_sibling_.assign(n + 1, 0);
    for (std::int32_t i = 1; i <= n; ++i) {
      const Value h = heads[i - 1];  // read once, because another thread may change it
      if (h < 0 || h > n) {
        const std::string there = n == 1 ? "is 1 token" : "are " + std::to_string(n) + " tokens";
        throw NotATree("token " + std::to_string(i) + " has the head " + std::to_string(h) + ", but there " +
                       there);
      }
      head_[i] = static_cast<std::int32_t>(h);
    }
    for (std::int32_t i = n; i >= 1; --i) {  // in reverse, because each child is added before its siblings
      next_sibling_[i] = first_child_[head_[i]];
      first_child_[head_[i]] = i;
    }
    number_nodes(n);
  }

 private:
  std::vector<std::int32_t> head_, first_child_, next_sibling_;  // by token, from 1; 0 is the artificial root
  std::vector<std::int32_t> pre_of_token_, first_of_token_;
  std::vector<std::uint8_t> reached_;

  // Numbers the nodes. Not recursive, because trees may be deep.
  void number_nodes(std::int32_t n) {
    token.resize(n);
    pre.resize(n + 1);
    at_pre.resize(n);
    left.resize(n);
    right.resize(n);
    pre_of_token_.resize(n + 1);
    first_of_token_.resize(n + 1);
    reached_.assign(n + 1, 0);
    std::int32_t entered = 0, finished = 0, t = 0;
    pre_of_token_[0] = -1;
    first_of_token_[0] = 0;
    for (;;) {
      if (first_child_[t] != 0) {
        t = first_child_[t];
        pre_of_token_[t] = entered++;
        first_of_token_[t] = finished;
        continue;
      }
      while (t != 0) {
        finish_node(t, finished++, entered, n);
        if (next_sibling_[t] != 0) break;
        t = head_[t];
      }
      if (t == 0) break;
      t = next_sibling_[t];
      pre_of_token_[t] = entered++;
      first_of_token_[t] = finished;
    }
    if (finished < n) fail_for_cycle(n);
    finish_node(0, n, n, n);
  }

  void finish_node(std::int32_t t, std::int32_t x, std::int32_t entered, std::int32_t n) {
    reached_[t] = 1;
    pre[x] = pre_of_token_[t];
    // A first child has the same first node as its parent. In the mirrored tree, the last child is first.
    left.set(x, first_of_token_[t], x, t == 0 || first_child_[head_[t]] != t);
    right.set(n - 1 - pre[x], n - entered, x, t == 0 || next_sibling_[t] != 0);
    if (t != 0) {
      token[x] = t - 1;
      at_pre[pre[x]] = x;
    }
  }

  // Some tokens were not reached from the root, so following their heads leads into a cycle.
  [[noreturn]] void fail_for_cycle(std::int32_t n) {
    std::int32_t t = 1;
    while (reached_[t]) ++t;
    for (std::int32_t step = 0; step < n; ++step) t = head_[t];
    std::vector<std::int32_t> cycle{t};
    for (std::int32_t u = head_[t]; u != t; u = head_[u]) cycle.push_back(u);
    if (cycle.size() == 1) throw NotATree("token " + std::to_string(t) + " is its own head");
    std::sort(cycle.begin(), cycle.end());
    std::string tokens;
    constexpr std::size_t most_listed = 20;  // keeps the message short
    for (std::size_t k = 0; k < std::min(cycle.size(), most_listed); ++k)
      tokens += (k > 0 ? ", " : "") + std::to_string(cycle[k]);
    throw NotATree("tokens " + tokens + (cycle.size() > most_listed ? ", …" : "") + " form a cycle");
  }
};

}  // namespace hyperbaton
