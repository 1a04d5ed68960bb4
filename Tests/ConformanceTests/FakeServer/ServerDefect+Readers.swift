@testable import Conformance

extension ServerDefect {
    static let readers: [ServerDefect] = [
        ServerDefect("state-sign-in", "a known reader is rejected") { request, response in
            if request.isSignIn, request["username"] == "activenone" {
                response = FakePublisherServer().document(
                    "<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
        },
        ServerDefect("state-lapsed-sign-in", "a lapsed reader is rejected") { request, response in
            if request.isSignIn, request["username"] == "lapsednone" {
                response = FakePublisherServer().document(
                    "<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
        },
        ServerDefect("state-known", "a nonstandard status") { request, response in
            if request.isVerification, request.user == "lapsednone" {
                response.text = response.text.replacing("inactive", with: "lapsed")
            }
        },
        ServerDefect("state-expected", "a lapsed reader is active") { request, response in
            if request.isVerification, request.user == "lapsednone" {
                response.text = response.text.replacing("inactive", with: "active")
            }
        },
        ServerDefect("state-expected", "an unusual token is rejected") { request, response in
            if request.isVerification, request.user == "longjson" {
                response.text = response.text.replacing("active", with: "inactive")
            }
        },
        ServerDefect("issues-nothing", "an empty list becomes all editions") { request, response in
            if request.isVerification, request.user == "activenone" {
                response.text = response.text.replacing("<issues/>", with: "")
            }
        },
        ServerDefect("issues-everything", "all editions become an empty list") { request, response in
            if request.isVerification, ["activeall", "peter"].contains(request.user) {
                response.text = response.text.replacing("</sub", with: "<issues/></sub")
            }
        },
        ServerDefect("issues-listed", "an edition is missing") { request, response in
            if request.isVerification, request.user == "activesome" {
                response.text = response.text.replacing("<issue>com.pugpig.edition0003</issue>", with: "")
            }
        },
        ServerDefect("issues-listed", "an additional edition") { request, response in
            if request.isVerification, request.user == "activesome" {
                response.text = response.text.replacing(
                    "</issues>", with: "<issue>com.pugpig.edition0002</issue></issues>")
            }
        },
        ServerDefect("issues-listed", "a repeated edition") { request, response in
            if request.isVerification, request.user == "activesome" {
                response.text = response.text.replacing(
                    "</issues>", with: "<issue>com.pugpig.edition0003</issue></issues>")
            }
        },
        ServerDefect("issues-inactive", "a lapsed reader loses all editions") { request, response in
            if request.isVerification, request.user == "lapsedsome" {
                response = FakePublisherServer().document("<subscription state=\"inactive\"><issues/></subscription>")
            }
        },
        ServerDefect("failure-direction", "an outage makes readers inactive") { request, response in
            if request.isVerification, request.user == "200-500-500" {
                response = FakePublisherServer().document("<subscription state=\"inactive\"><issues/></subscription>")
            }
        },
        ServerDefect("failure-direction", "an outage rejects a sign-in") { request, response in
            if request.isSignIn, response.status == 503 {
                response = FakePublisherServer().document("<error status=\"notrecognised\" message=\"Later\"/>")
            }
        },
        ServerDefect("failure-direction", "an outage rejects a renewal") { request, response in
            if request.isRenewal, request.user == "200-500-500" {
                response = FakePublisherServer().document("<error status=\"notrecognised\" message=\"Later\"/>")
            }
        },
        ServerDefect("failure-direction", "an outage makes a token unknown") { request, response in
            if request.isCredentials, response.status == 503 {
                response = FakePublisherServer().document(
                    "<credentials><error status=\"notrecognised\" message=\"Later\"/></credentials>")
            }
        },
        ServerDefect("failure-retry", "no Retry-After") { _, response in response.set("Retry-After", nil) },
    ]
}
