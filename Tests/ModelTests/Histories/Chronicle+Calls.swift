import AccessModel
import ContentGate
import Foundation
import Gatefold
import HTTPTypes

@testable import Backends

/// What readers do.
extension Chronicle {
    /// - Parameter key: the house's own name for the reader.
    func signIn(
        _ typed: String, _ password: String, _ device: String?, _ title: Int, key: String
    ) async throws {
        var fields = ["email": typed, "password": password]
        fields["device"] = device
        let limit = device == nil ? nil : world.titles[title].deviceLimit
        let before = try await world.devices(of: key, in: title)
        let answer: SignInAnswer?
        do {
            answer = try await world.proxies[title].signIn(Inquiry(fields: fields))
        } catch is Unavailable {
            answer = nil
        }
        listen()
        let question = HouseQuestion.recognise(identifier: typed, password: password)
        if answer == nil, isDoubtful(key),
            let forgetful = try? heard(question, Doubt(remembers: false, standing: .good)), forgetful.word == nil
        {
            return countComingBack(question, key)
        }
        let recognition = try heard(question, Doubt(standing: .good))
        tally.count(.recognisedByStandIn, if: recognition.isEarlier)
        guard let word = recognition.word else {
            countComingBack(question, key)
            return try require(answer == nil, "sign-in during an outage: \(answer as Any)")
        }
        guard case .recognition(.recognised(let subscriber)) = word else {
            return try require(answer?.refusal == .notRecognised, "sign-in of a stranger: \(answer as Any)")
        }
        try require(subscriber.key == key, "\(typed) is \(subscriber.key)")
        let isLive = asked.contains { $0.question == question && $0.answer != nil }
        if isLive {
            confirmed[key] = (typed, password, present)
            wasRight.insert(question)
        }
        if let device, let limit {
            if world.isStoreBroken { return try require(answer == nil, "sign-in without a store") }
            let own = world.reference(toDevice: device)
            if limit.excess == .refuse, !before.contains(own), before.count >= limit.most {
                tally.count(.deviceRefused)
                return try require(answer?.refusal == .tooManyDevices, "one device too many: \(answer as Any)")
            }
            let after = try await world.devices(of: key, in: title)
            try require(after.contains(own) && after.count <= limit.most, "devices: \(after.count)")
            tally.count(.deviceEvicted, if: !before.isSubset(of: after))
            let world = world
            let leaving = before.subtracting(after)
            end {
                guard $0.title == title, $0.reader.key == key, let other = $0.device else { return false }
                return leaving.contains(world.reference(toDevice: other))
            }
        }
        guard case .signedIn(let text, _, _)? = answer else {
            throw Contradiction(description: "no token for a reader who is recognised: \(answer as Any)")
        }
        // On one device there is one session, however often its reader signs in; it ends as one.
        sittings += 1
        tally.count(.signedIn)
        tally.count(.signedInByLookAlike, if: typed.trimmingCharacters(in: .whitespaces).lowercased() != key)
        keep(text, title, subscriber, device, sitting: sittings)
        if !isLive { recall(sittings, key, password) }
    }

    /// The house can not be asked, and no answer from before takes its place.
    private func countComingBack(_ question: HouseQuestion, _ key: String) {
        tally.count(.signInComesBack)
        guard case .recognise(let typed, let password) = question, wasRight.contains(question),
            let latest = confirmed[key], latest.password != password
        else { return }
        tally.count(.formerPasswordElsewhere, if: latest.process != present)
        tally.count(.formerPasswordByLookAlike, if: latest.typed != typed)
    }

    private func keep(
        _ text: String, _ title: Int, _ reader: Subscriber, _ device: String?, sitting: Int, issued: Date? = nil
    ) {
        let second = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        let lifetimes = world.titles[title].lifetimes
        hold(
            Ticket(
                text: text, title: title, reader: reader, device: device, sitting: sitting,
                expires: second.addingTimeInterval(lifetimes.token), process: present,
                issued: issued ?? second, lifetimes: lifetimes))
    }

    // MARK: - What the model says

    /// The ways in which the process that is asked may have come to an answer, the likeliest first: one where all is certain.
    private func doubts(
        _ standings: [TokenStanding], _ reader: Subscriber, wasRefused: [Bool] = [false],
        wasEditionRefused: [Bool] = [false]
    ) -> [Doubt] {
        var all: [Doubt] = []
        for standing in standings {
            for remembers in isDoubtful(reader.key) ? [true, false] : [true] {
                for refused in wasRefused {
                    for editionRefused in wasEditionRefused {
                        all.append(
                            Doubt(
                                remembers: remembers, standing: standing, wasRefused: refused,
                                wasEditionRefused: editionRefused))
                    }
                }
            }
        }
        return all
    }

    /// The right answer that was given, and what came of it.
    ///
    /// - Throws: ``Contradiction`` where what was given is right in no way.
    private func right<Answer>(
        among doubts: [Doubt], _ isGiven: (Answer) -> Bool, words: (Doubt, Answer) -> String,
        _ find: (Doubt, inout [() -> Void]) throws -> Answer
    ) throws -> (Answer, Doubt) {
        var first: (any Error)?
        for doubt in doubts {
            do {
                var consequences: [() -> Void] = []
                let answer = try find(doubt, &consequences)
                if isGiven(answer) {
                    consequences.forEach { $0() }
                    return (answer, doubt)
                }
                try require(false, words(doubt, answer))
            } catch {
                first = first ?? error
            }
        }
        throw first ?? Contradiction(description: "no way to answer")
    }

    func verify(_ token: Int?, _ title: Int) async throws {
        let proxy = world.proxies[title]
        let standings = standings(token, in: title)
        let known = proxy.decidedVerification(token: text(token), Inquiry())
        let decided = known?.answer
        listen()
        try require(asked.isEmpty, "the decided lane asked the house")
        if let known {
            let text = text(token)
            keep(known.standing, "\(known.answer)") {
                proxy.decidedVerification(token: text, Inquiry())?.answer == known.answer
            }
        }
        let answer: VerificationAnswer?
        do {
            answer = try await proxy.verify(token: text(token), Inquiry())
        } catch is Unavailable {
            answer = nil
        }
        listen()
        try require(decided == nil || decided == answer, "decided \(decided as Any), then \(answer as Any)")
        let reader = ticket(token)?.reader ?? Subscriber(backend: "", key: "")
        let given =
            answer.map { ModelVerification.told($0.subscription.state, $0.subscription.entitlement) } ?? .comeBack
        let (right, doubt) = try right(
            among: doubts(standings, reader), { $0 == given },
            words: { "verification of a \($0.standing) token: \(given), right is \($1)" }
        ) { doubt, consequences in
            try models[title].verification(
                doubt.standing,
                heard: {
                    let heard = try heardSubscription(reader, doubt)
                    consequences.append { [self] in
                        tally.count(.verifiedByStandIn, if: heard.isEarlier)
                        note(heard, of: reader)
                    }
                    return heard
                }, bought: bought(by: reader, in: title), at: now)
        }
        tally.count(.decidedVerification, if: known != nil && doubt.standing == .good)
        tally.count(right == .comeBack ? .verificationComesBack : .verified, if: doubt.standing == .good)
        tally.count(.tokenExpired, if: doubt.standing == .expired)
        if let ticket = ticket(token) { count(ticket, doubt.standing) }
    }

    /// What a token was found to be worth, where that was hard to know.
    private func count(_ ticket: Ticket, _ standing: TokenStanding) {
        tally.count(.goodUntilToldOfEnd, if: standing == .good && wasEndedElsewhere(ticket.sitting))
        guard standing == .ended else { return }
        tally.count(.tokenEnded)
        guard isEnded(ticket.sitting) else { return }
        let lifetimes = world.titles[ticket.title].lifetimes
        tally.count(
            .endedAfterShortening,
            if: endedBeforePruning.contains(ticket.sitting) && lifetimes.token < ticket.lifetimes.token
                && now < ticket.expires)
        tally.count(.endedAfterClockStep, if: endedBeforeStep.contains(ticket.sitting) && now < ticket.expires)
        tally.count(.endedElsewhere, if: wasEnded(ticket.sitting, notBy: present))
    }

    func credentials(_ token: Int?, _ edition: EditionID, _ title: Int) async throws {
        let proxy = world.proxies[title]
        let known = try proxy.decidedCredentials(
            token: text(token), edition: edition.rawValue, Inquiry(), isToBeKept: true)
        let decided = known?.answer
        listen()
        try require(asked.isEmpty, "the decided lane asked the house")
        if let known {
            let text = text(token)
            keep(known.standing, "\(known.answer) for \(edition)") {
                let right = try proxy.decidedCredentials(token: text, edition: edition.rawValue, Inquiry())?.answer
                return switch known.repetition {
                case .same: right == known.answer
                case .replacing(let first, let next): try right.map(Self.isGranted) == true && next() != first
                case .never: false
                }
            }
        }
        let standing = try await ask(token, edition, title, decided: decided)
        if let known {
            tally.count(Self.isGranted(known.answer) ? .decidedGrant : .decidedRefusal, if: standing == .good)
        }
    }

    /// A reader asks for more editions than are remembered of one reader; none of them exists.
    func askForMadeUp(_ token: Int?, _ title: Int) async throws {
        guard let ticket = ticket(token) else { return }
        if isDoubtful(ticket.reader.key), flooding.contains(ticket.reader.key) { return }
        flooding.insert(ticket.reader.key)
        refusals.crowd(ticket.reader.key)
        for number in 0..<Self.madeUp {
            guard let edition = EditionID("made-up-\(number)") else { continue }
            try await ask(token, edition, title)
        }
        tally.count(.askedForMadeUp)
    }

    /// More than fit, and fewer than would take long.
    private static let madeUp = 700

    /// - Returns: what the token was worth.
    @discardableResult
    private func ask(
        _ token: Int?, _ edition: EditionID, _ title: Int, decided: CredentialsAnswer? = nil
    ) async throws -> TokenStanding {
        let standings = standings(token, in: title)
        let ticket = ticket(token)
        let reader = ticket?.reader ?? Subscriber(backend: "", key: "")
        let key = RefusalKey.edition(title: title, reader: reader.key, edition)
        let keys = [key, .reader(reader.key)]
        let isNews = refusals.isNews(keys, to: present)
        let doubts = doubts(
            standings, reader, wasRefused: refusals.wasRefused(keys, by: present),
            wasEditionRefused: refusals.wasEditionRefused(key, by: present))
        let answer = try await world.proxies[title].editionCredentials(
            token: text(token), edition: edition.rawValue, Inquiry())
        listen()
        try require(
            decided.map { Self.shape($0) == Self.shape(answer) } ?? true, "decided \(decided as Any), then \(answer)")
        var isEarlier = false
        // What the catalogue or a purchase decides is no word of the house's, and ends no refusal.
        var isHouses = false
        let (right, doubt) = try right(
            among: doubts, { isRight($0, answer, edition, ticket) },
            words: {
                "credentials for \(edition) with a \($0.standing) token: \(words(answer, edition, ticket)), right is \($1)"
            }
        ) { doubt, consequences in
            (isEarlier, isHouses) = (false, false)
            var isRefusedNow = false
            return try models[title].credentials(
                doubt.standing, for: edition,
                verdict: {
                    let heard = try heardVerdict(edition, reader, doubt)
                    isHouses = true
                    isEarlier = isEarlier || heard.isEarlier
                    if case .refused? = heard.word ?? nil {
                        isRefusedNow = true
                        consequences.append { [self] in refuse(key, edition) }
                    }
                    return heard
                },
                heard: {
                    let heard = try heardSubscription(reader, doubt)
                    isHouses = true
                    isEarlier = isEarlier || heard.isEarlier
                    consequences.append { [self] in note(heard, of: reader) }
                    if let word = heard.word {
                        let isOpen = models[title].opens(edition, word, at: now)
                        isRefusedNow = isRefusedNow || !isOpen || word.state != .active
                        consequences.append { [self] in
                            if isOpen { countWhatOpens(edition, word, models[title]) } else { refuse(key, edition) }
                        }
                    }
                    return heard
                }, bought: bought(by: reader, in: title),
                wasRefused: {
                    let wasRefused = isRefusedNow || doubt.wasRefused
                    consequences.append { [self] in countRefused(wasRefused, reader, isNews: isNews) }
                    return wasRefused
                }, wasEditionRefused: { doubt.wasEditionRefused }, at: now)
        }
        tally.count(
            .openedByPurchase, if: right == .granted && bought(by: reader, in: title)?.contains(edition) == true)
        guard doubt.standing == .good, let ticket else { return doubt.standing }
        tally.count(.grantedByStandIn, if: right == .granted && isEarlier)
        tally.count(
            .standsInAfterMadeUp,
            if: right == .granted && isEarlier && !flooding.isEmpty && !flooding.contains(reader.key))
        switch right {
        case .granted: tally.count(.granted)
        case .grantedForNow: tally.count(.grantedForNow)
        case .refused: tally.count(.refused)
        case .comeBack: tally.count(.credentialsComeBack)
        }
        if right == .granted, isHouses, !isEarlier { refusals.note(key, false, by: present, at: elapsed) }
        if case .granted(let pair, _, _) = answer { keep(pair, edition, ticket, isForNow: right == .grantedForNow) }
        return doubt.standing
    }

    private func refuse(_ key: RefusalKey, _ edition: EditionID) {
        guard case .edition(let title, _, _) = key, models[title].mayBeThere(edition) else { return }
        refusals.note(key, true, by: present, at: elapsed)
    }

    private func countRefused(_ wasRefused: Bool, _ reader: Subscriber, isNews: Bool) {
        tally.count(.keptClosedByRefusal, if: wasRefused)
        tally.count(.keptClosedByNews, if: wasRefused && isNews)
        tally.count(
            .keptClosedAfterMadeUp, if: wasRefused && !flooding.isEmpty)
    }

    /// What of a word opens the edition, where nothing else of it does.
    private func countWhatOpens(_ edition: EditionID, _ word: Subscription, _ model: AccessModel) {
        var plain = word
        plain.periods = []
        if !model.opens(edition, plain, at: now),
            let published = model.editions?.first(where: { $0.id == edition })?.published
        {
            tally.count(.openedByPeriod)
            tally.count(.openedAtStartOfPeriod, if: word.periods.contains { $0.start == published })
            tally.count(.openedAtEndOfPeriod, if: word.periods.contains { $0.end == published })
        }
        var graceless = model
        graceless.grace = GraceRules()
        tally.count(.openedByGrace, if: !graceless.opens(edition, word, at: now))
    }

    private func keep(_ pair: EditionCredentials, _ edition: EditionID, _ ticket: Ticket, isForNow: Bool) {
        pairs.append(
            Pair(
                credentials: pair, edition: edition, ticket: ticket, expires: expiry(under: ticket, isForNow: isForNow))
        )
    }

    /// When edition credentials end that are given out now, nil for never.
    private func expiry(under ticket: Ticket, isForNow: Bool) -> Date? {
        if world.titles[ticket.title].saltForm == .plain, !isForNow { return nil }
        let lifetimes = world.titles[ticket.title].lifetimes
        let until = now.addingTimeInterval(isForNow ? lifetimes.failOpenCredentials : lifetimes.editionCredentials)
        // Salts know whole minutes.
        let minute = (min(until, ticket.expires).timeIntervalSince1970 / 60).rounded(.up) * 60
        return Date(timeIntervalSince1970: minute)
    }

    /// Short-lived edition credentials and ordinary ones are told apart by their salt.
    private func isRight(
        _ right: ModelCredentials, _ answer: CredentialsAnswer, _ edition: EditionID, _ ticket: Ticket?
    ) -> Bool {
        switch answer {
        case .granted(let pair, _, _):
            guard right == .granted || right == .grantedForNow, let ticket else { return false }
            return world.expiry(of: pair, for: edition, in: ticket.title)
                == expiry(under: ticket, isForNow: right == .grantedForNow)
        case .refused(let refusal, _):
            return right == (refusal.retryAfter == nil ? .refused(refusal.reason) : .comeBack)
        }
    }

    private func words(_ answer: CredentialsAnswer, _ edition: EditionID, _ ticket: Ticket?) -> String {
        guard case .granted(let pair, _, _) = answer, let ticket else { return Self.shape(answer) }
        let end = world.expiry(of: pair, for: edition, in: ticket.title)
        return "granted until \(end.map { "\($0.timeIntervalSince(now)) s" } ?? "for ever")"
    }

    private static func shape(_ answer: CredentialsAnswer) -> String {
        if case .refused(let refusal, _) = answer { "\(refusal)" } else { "granted" }
    }

    private static func isGranted(_ answer: CredentialsAnswer) -> Bool { shape(answer) == "granted" }

    func renew(_ token: Int?, _ title: Int) async throws {
        let standings = standings(token, in: title)
        let answer: SignInAnswer?
        do {
            answer = try await world.proxies[title].renew(token: text(token), Inquiry())
        } catch is Unavailable {
            answer = nil
        }
        listen()
        if let ticket = ticket(token), standings.count > 1, answer?.refusal == .notRecognised, asked.isEmpty {
            // It was ended, or forgotten.
            return try require(standings.contains { $0 != .good && $0 != .renewable }, "\(ticket.title)")
        }
        guard let standing = standings.first(where: { $0 == .good || $0 == .renewable }), let ticket = ticket(token)
        else {
            return try require(answer?.refusal == .notRecognised, "renewal of \(standings): \(answer as Any)")
        }
        guard let word = try heard(.renew(ticket.reader), Doubt(standing: standing)).word else {
            return try require(answer == nil, "renewal during an outage: \(answer as Any)")
        }
        guard case .recognition(.recognised(let reader)) = word else {
            refusals.note(.reader(ticket.reader.key), true, by: present, at: elapsed)
            return try require(answer?.refusal == .notRecognised, "renewal for a stranger: \(answer as Any)")
        }
        guard case .signedIn(let text, _, _)? = answer else {
            throw Contradiction(description: "no new token for a reader who is known: \(answer as Any)")
        }
        tally.count(.renewedAfterExpiry, if: standing == .renewable)
        keep(text, title, reader, ticket.device, sitting: ticket.sitting, issued: ticket.issued)
    }

    func signOut(_ token: Int?, _ title: Int) async throws {
        let standings = standings(token, in: title)
        var isDone = true
        do {
            try await world.proxies[title].signOut(token: text(token), Inquiry())
        } catch is Unavailable {
            isDone = false
        }
        listen()
        guard standings.contains(where: { ![.missing, .unreadable, .ended].contains($0) }), let ticket = ticket(token)
        else {
            return try require(isDone, "signing out of nothing")
        }
        if !standings.contains(.ended) {
            try require(isDone != world.isStoreBroken, "sign-out: \(isDone), store broken: \(world.isStoreBroken)")
        }
        guard isDone, !world.isStoreBroken else { return }
        end(ticket.sitting) {
            $0.sitting == ticket.sitting
                || ticket.device != nil && $0.device == ticket.device && $0.title == title
                    && $0.reader.key == ticket.reader.key
        }
    }

    /// Credentials open exactly their edition, until they expire, a little longer for a download begun before, and never
    /// after their session was ended.
    func download(_ number: Int, _ edition: EditionID?, _ title: Int?, _ isResume: Bool) throws {
        guard !pairs.isEmpty else { return }
        let pair = pairs[pairs.count - 1 - number % pairs.count]
        let edition = edition ?? pair.edition
        let title = title ?? pair.ticket.title
        let basic = Data("\(pair.credentials.userid):\(pair.credentials.password)".utf8).base64EncodedString()
        let request = GateRequest(
            method: .get, target: "/content/\(world.titles[title].id)/\(edition)/index.html",
            authorization: ["Basic \(basic)"], isResume: isResume)
        let gate = world.gate
        let standing = gate.standing(forTarget: request.target)
        let decision = gate.decide(request)
        keep(standing, "\(decision)") { gate.decide(request).isAllowed == decision.isAllowed }
        var isRight = title == pair.ticket.title && edition == pair.edition
        if let expires = pair.expires {
            let window = world.titles[title].lifetimes.resumeWindow
            let end = expires.addingTimeInterval(isResume ? window : 0)
            let (isInTime, isEnded) = (now < end, isEnded(pair.ticket.sitting))
            if isRight, !models[title].isFree(edition, at: now) {
                tally.count(.resumedAfterExpiry, if: isInTime && !isEnded && now >= expires)
                tally.count(.refusedAfterExpiry, if: !isInTime && !isEnded)
                tally.count(.refusedAfterEnd, if: isInTime && isEnded)
            }
            isRight = isRight && isInTime && !isEnded
            let isClosed = !decision.isAllowed
            if isClosed, isUnsure(pair.ticket.sitting) || mayBeForgotten(expires, in: title) { return }
        }
        tally.count(.downloaded, if: isRight)
        isRight = isRight || models[title].isFree(edition, at: now)
        try require(isRight == decision.isAllowed, "download of \(edition) in \(title): \(decision)")
    }
}

extension SignInAnswer {
    fileprivate var refusal: SignInRefusal.Reason? {
        if case .refused(let refusal) = self { refusal.reason } else { nil }
    }
}

extension GateDecision {
    fileprivate var isAllowed: Bool {
        if case .allowed = self { true } else { false }
    }
}
