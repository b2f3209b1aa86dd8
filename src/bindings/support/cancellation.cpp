#include "support/cancellation.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

namespace {

// Makes it possible to cancel the loops that this thread starts, until the end of the scope.
class Cancellable {
 public:
  explicit Cancellable(Cancellation& by) : before_(std::exchange(cancellation, &by)) {}
  ~Cancellable() { cancellation = before_; }
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;

 private:
  Cancellation* before_;
};

}  // namespace

void bind_cancellation(nb::module_& m) {
  nb::class_<Cancellation>(m, "Cancellation")
      .def(nb::init<>())
      .def("cancel", &Cancellation::cancel)
      // Calls a Python function. Once the work is cancelled, loops of the core that it starts on this thread
      // stop, and raise CancelledError.
      .def(
          "run",
          [](Cancellation& self, const nb::callable& function) -> nb::object {
            const Cancellable cancellable(self);
            return function();
          },
          nb::arg("function"));
}

}  // namespace hyperbaton::bindings
