#include "ngrams/chrf.hpp"

#include "bindings/batch.hpp"
#include "bindings/ngrams/references.hpp"
#include "bindings/text/lines.hpp"

namespace hyperbaton::bindings {

namespace {

// The n-grams of the references of all segments. It never changes, so threads may share it.
class ChrfSegments {
 public:
  ChrfSegments(const Lines& lines, const Array<std::int64_t>& starts, std::size_t characters,
               std::size_t words, bool white_space, double beta, bool effective, int threads)
      : options_{characters, words, white_space, beta, effective},
        starts_(checked_starts(starts, lines.views.size())),
        references_(lines.views.size()) {
    if (characters < 1 || characters > NgramCounter::most || words > NgramCounter::most)
      throw std::invalid_argument("no such n-grams");
    if (words > 0)
      for (const std::string_view line : lines.views)
        for_each_chrf_word(line, [&](std::string_view word) { words_.add(word); });
    run(references_.size(), cost(lines), threads, [&](const Stop&) {
      return [&, counter = ChrfCounter(options_, words_)](std::size_t k) mutable {
        references_[k] = counter.prepare(lines.views[k]);
      };
    });
  }

  ChrfSegments(const ChrfSegments&) = delete;
  ChrfSegments& operator=(const ChrfSegments&) = delete;

  Result<double> statistics(const Lines& hypotheses, int threads) const {
    check_same_size(hypotheses.views.size(), starts_.size() - 1);
    std::vector<double> out(options_.statistics() * hypotheses.views.size());
    run(hypotheses.views.size(), cost(hypotheses), threads, [&](const Stop& stop) {
      return [&, counter = ChrfCounter(options_, words_)](std::size_t k) mutable {
        counter(of_segment(references_, starts_, k), hypotheses.views[k], stop,
                out.data() + k * options_.statistics());
      };
    });
    return to_numpy(std::move(out));
  }

 private:
  ChrfOptions options_;
  std::vector<std::int64_t> starts_;
  std::vector<ChrfReference> references_;
  StringNumbers words_;

  static std::size_t cost(const Lines& lines) {
    std::size_t bytes = 0;
    for (const std::string_view line : lines.views) bytes += line.size();
    return 50 * bytes;
  }
};

}  // namespace

void bind_chrf(nb::module_& m) {
  nb::class_<ChrfSegments>(m, "ChrfReferences",
                           "The n-grams of references. Segment k has those from starts[k] to\n"
                           "starts[k + 1].")
      .def(nb::init<const Lines&, const Array<std::int64_t>&, std::size_t, std::size_t, bool, double, bool,
                    int>(),
           nb::arg("lines"), nb::arg("starts").noconvert(), nb::arg("characters"), nb::arg("words"),
           nb::arg("white_space"), nb::arg("beta"), nb::arg("effective"), nb::arg("threads"))
      .def("statistics", &ChrfSegments::statistics, nb::arg("hypotheses"), nb::arg("threads"),
           "sacreBLEU's statistics of each segment, one after another.");
}

}  // namespace hyperbaton::bindings
