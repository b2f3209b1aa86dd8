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
      .def(
          "run",
          [](Cancellation& self, const nb::callable& function) -> nb::object {
            const Cancellable cancellable(self);
            return function();
          },
          nb::arg("function"),
          "Calls a Python function. Once the work is cancelled, loops of the core that it starts on this\n"
          "thread stop, and raise CancelledError.");
}

}  // namespace hyperbaton::bindings
