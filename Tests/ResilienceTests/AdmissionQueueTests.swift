import TestSupport
import Testing

@testable import Resilience

@Suite("Admission queue")
struct AdmissionQueueTests {
    @Test("Grants slots first, then queue places, then rejects, and serves the longest waiting first")
    func order() {
        var queue = AdmissionQueue(maxConcurrent: 2, capacity: 2)
        #expect(queue.enter(mayWait: true) == .admitted)
        #expect(queue.enter(mayWait: false) == .admitted)
        #expect(queue.enter(mayWait: false) == .full)
        #expect(queue.enter(mayWait: true) == .waits(1))
        #expect(queue.enter(mayWait: true) == .waits(2))
        #expect(queue.enter(mayWait: true) == .full)
        #expect(queue.leave() == 1)
        #expect(queue.inUse == 2)
        #expect(queue.leave() == 2)
        #expect(queue.leave() == nil)
        #expect(queue.leave() == nil)
        #expect(queue.inUse == 0)
    }

    @Test("Skips an abandoned place and reuses its capacity")
    func abandoning() {
        var queue = AdmissionQueue(maxConcurrent: 1, capacity: 2)
        _ = queue.enter(mayWait: true)
        #expect(queue.enter(mayWait: true) == .waits(1))
        #expect(queue.enter(mayWait: true) == .waits(2))
        #expect(queue.cancel(1) == true)
        #expect(queue.cancel(1) == false)
        #expect(queue.enter(mayWait: true) == .waits(3))
        #expect(queue.leave() == 2)
        #expect(queue.cancel(2) == false)
        #expect(queue.leave() == 3)
    }

    @Test("Behaves like a simple list under random operations", arguments: 1...20)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let maxConcurrent = Int.random(in: 1...4, using: &random)
        let capacity = Int.random(in: 0...40, using: &random)
        var queue = AdmissionQueue(maxConcurrent: maxConcurrent, capacity: capacity)
        var inUse = 0
        var waiting: [UInt64] = []
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let mayWait = Bool.random(using: &random)
                let entry = queue.enter(mayWait: mayWait)
                if inUse < maxConcurrent, waiting.isEmpty {
                    #expect(entry == .admitted)
                    inUse += 1
                } else if case .waits(let place) = entry {
                    #expect(mayWait && waiting.count < capacity)
                    waiting.append(place)
                } else {
                    #expect(entry == .full && (!mayWait || waiting.count == capacity))
                }
            case 2 where inUse > 0:
                let next = queue.leave()
                #expect(next == waiting.first)
                if next == nil { inUse -= 1 } else { waiting.removeFirst() }
            default:
                guard let place = waiting.randomElement(using: &random) else { continue }
                #expect(queue.cancel(place) == true)
                waiting.removeAll { $0 == place }
            }
            #expect(queue.inUse == inUse && queue.waitingCount == waiting.count)
        }
    }
}
