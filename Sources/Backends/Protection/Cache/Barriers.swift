import Foundation

/// Moments at which somebody was forgotten: an answer to a question from before is not remembered when it comes.
struct Barriers: Sendable {
    private var all: UInt64 = 0
    private var latest: [AnswerMemory.Group: UInt64] = [:]
    private var raised: [(group: AnswerMemory.Group, moment: Moment)] = []
    private var first = 0

    var count: Int { latest.count }

    mutating func raise(_ group: AnswerMemory.Group, _ moment: Moment, longestQuestion: TimeInterval) {
        latest[group] = max(latest[group] ?? 0, moment.order)
        raised.append((group, moment))
        // What was asked before such a barrier has long been answered.
        while first < raised.count, raised[first].moment.seconds + longestQuestion < moment.seconds {
            let (group, moment) = raised[first]
            if let order = latest[group], order <= moment.order { latest[group] = nil }
            first += 1
        }
        if first > 64, first > raised.count / 2 {
            raised.removeFirst(first)
            first = 0
        }
    }

    mutating func raiseAll(_ moment: Moment) {
        all = moment.order
        latest = [:]
        raised = []
        first = 0
    }

    func bar(_ asked: Moment, _ groups: [AnswerMemory.Group]) -> Bool {
        asked.order <= all || groups.contains { asked.order <= latest[$0] ?? 0 }
    }
}
