// A dependency tree as an ordered forest: children, and roots, in the order of the sentence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperbaton {

// Says which token is wrong; tokens count from 1, as heads do.
class NotATree : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// One order of the nodes: descendants before their ancestors, from left to right. Node n is an artificial
// root, so that a forest is a tree; it is never matched or counted.
struct Postorder {
  std::vector<std::int32_t> first;  // the first node of the subtree, a leaf; nodes first[x]..x are all of it
  std::vector<std::int32_t> node;   // what the node is called in the order from left to right
  std::vector<std::uint8_t> keyroot;  // whether no node above has the same first one
  std::int64_t work = 0;              // the subtrees of all keyroots but leaves, together

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

  std::vector<std::int32_t> token;   // of each node, from 0
  std::vector<std::int32_t> pre;     // preorder of each node; the artificial root has none: -1
  std::vector<std::int32_t> at_pre;  // the node at each place of the preorder
  Postorder left, right;             // as it is, and mirrored: the preorder backwards

  std::int32_t size() const { return static_cast<std::int32_t>(token.size()); }
  std::int32_t subtree(std::int32_t x) const { return x - left.first[x] + 1; }
  // The last node of a subtree that can be matched: x, unless it is artificial.
  std::int32_t last(std::int32_t x) const { return std::min(x, size() - 1); }

  // Heads count from 1, and 0 is no head. Tree and order are all that counts: that a tree is not
  // projective makes no difference.
  template <class Value>
  void load(std::span<const Value> heads) {
    if (heads.size() > longest) throw NotATree("a tree has fewer than 2^24 tokens");
    const auto n = static_cast<std::int32_t>(heads.size());
    head_.assign(n + 1, 0);
    child_.assign(n + 1, 0);
    next_.assign(n + 1, 0);
    for (std::int32_t i = 1; i <= n; ++i) {
      const Value h = heads[i - 1];  // read once: the caller may be writing
      if (h < 0 || h > n) {
        const std::string there = n == 1 ? "is 1 token" : "are " + std::to_string(n) + " tokens";
        throw NotATree("token " + std::to_string(i) + " has the head " + std::to_string(h) + ", but there " +
                       there);
      }
      head_[i] = static_cast<std::int32_t>(h);
    }
    for (std::int32_t i = n; i >= 1; --i) {  // the last first: each goes before its siblings
      next_[i] = child_[head_[i]];
      child_[head_[i]] = i;
    }
    number(n);
  }

 private:
  std::vector<std::int32_t> head_, child_, next_;  // by token, from 1; 0 is the artificial root
  std::vector<std::int32_t> pre_of_, first_of_;
  std::vector<std::uint8_t> reached_;

  // Walks round the tree; trees may be deep, so without recursion.
  void number(std::int32_t n) {
    token.resize(n);
    pre.resize(n + 1);
    at_pre.resize(n);
    left.resize(n);
    right.resize(n);
    pre_of_.resize(n + 1);
    first_of_.resize(n + 1);
    reached_.assign(n + 1, 0);
    std::int32_t entered = 0, done = 0, t = 0;
    pre_of_[0] = -1;
    first_of_[0] = 0;
    for (;;) {
      if (child_[t] != 0) {
        t = child_[t];
        pre_of_[t] = entered++;
        first_of_[t] = done;
        continue;
      }
      while (t != 0) {
        leave(t, done++, entered, n);
        if (next_[t] != 0) break;
        t = head_[t];
      }
      if (t == 0) break;
      t = next_[t];
      pre_of_[t] = entered++;
      first_of_[t] = done;
    }
    if (done < n) fail_for_cycle(n);
    leave(0, n, n, n);
  }

  void leave(std::int32_t t, std::int32_t x, std::int32_t entered, std::int32_t n) {
    reached_[t] = 1;
    pre[x] = pre_of_[t];
    // The first child has its parent's first node; in the mirror the last child is first.
    left.set(x, first_of_[t], x, t == 0 || child_[head_[t]] != t);
    right.set(n - 1 - pre[x], n - entered, x, t == 0 || next_[t] != 0);
    if (t != 0) {
      token[x] = t - 1;
      at_pre[pre[x]] = x;
    }
  }

  // Some tokens were not reached from the root: following their heads leads into a cycle.
  [[noreturn]] void fail_for_cycle(std::int32_t n) {
    std::int32_t t = 1;
    while (reached_[t]) ++t;
    for (std::int32_t step = 0; step < n; ++step) t = head_[t];
    std::vector<std::int32_t> cycle{t};
    for (std::int32_t u = head_[t]; u != t; u = head_[u]) cycle.push_back(u);
    if (cycle.size() == 1) throw NotATree("token " + std::to_string(t) + " is its own head");
    std::sort(cycle.begin(), cycle.end());
    std::string tokens;
    constexpr std::size_t most = 20;  // nobody reads more
    for (std::size_t k = 0; k < std::min(cycle.size(), most); ++k)
      tokens += (k > 0 ? ", " : "") + std::to_string(cycle[k]);
    throw NotATree("tokens " + tokens + (cycle.size() > most ? ", …" : "") + " form a cycle");
  }
};

}  // namespace hyperbaton
