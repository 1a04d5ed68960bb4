import Metrics
import Server
import Testing

@Suite("Prometheus exposition")
struct PrometheusRegistryTests {
    @Test("Lists counters, gauges and histograms in a stable order")
    func exposition() {
        let registry = PrometheusRegistry()
        Counter(label: "b_total", dimensions: [("result", "y")], factory: registry).increment(by: 2)
        Counter(label: "b_total", dimensions: [("result", "x")], factory: registry).increment()
        Gauge(label: "a", factory: registry).record(3)
        Timer(label: "took", factory: registry).recordMilliseconds(3)
        let text = registry.exposition()
        #expect(
            text.hasPrefix(
                "# TYPE a gauge\na 3.0\n# TYPE b_total counter\nb_total{result=\"x\"} 1\nb_total{result=\"y\"} 2\n"))
        #expect(text.contains("# TYPE took_seconds histogram\n"))
        #expect(text.contains("took_seconds_bucket{le=\"0.0025\"} 0\n"))
        #expect(text.contains("took_seconds_bucket{le=\"0.005\"} 1\n"))
        #expect(text.contains("took_seconds_bucket{le=\"+Inf\"} 1\n"))
        #expect(text.contains("took_seconds_count 1\n"))
    }

    @Test("Escapes label values and repairs names")
    func escaping() {
        let registry = PrometheusRegistry()
        Counter(label: "odd.name", dimensions: [("a-b", "q\"\\\n")], factory: registry).increment()
        #expect(registry.exposition() == "# TYPE odd_name counter\nodd_name{a_b=\"q\\\"\\\\\\n\"} 1\n")
    }
}
