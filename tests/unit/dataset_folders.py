"""Tiny folders in the layouts of known datasets, written the same way for minds and for MindSpore.

python tests/unit/dataset_folders.py images FOLDER FILE   # with a MindSpore: record its rows
"""

import json
import os
import sys

import numpy as np
from dataset_files import R, raw, text, wav
from dataset_images import images


def texts(r, case):
    """Write the folders of texts below ``r``."""
    j = lambda *p: os.path.join(r, *p)
    for n, k in (("a", 3), ("b", 2)):
        text(j("lines", n + ".txt"), "".join(f"{n} line {i}\n" for i in range(k)) + "\né \n\nend")
    files = [j("lines", "a.txt"), j("lines", "b.txt")]
    case("TextFileDataset", dataset_files=files)
    case("TextFileDataset", dataset_files=files[0], num_samples=2)
    for i in range(3):
        case("TextFileDataset", dataset_files=files[0], num_shards=3, shard_id=i)
    text(j("csv", "a.csv"), 'a,b,c\n1,x y,3.5\n2,"q,""z",4\n3,"two\nlines",0\n')
    case("CSVDataset", dataset_files=j("csv", "a.csv"))
    case("CSVDataset", dataset_files=j("csv", "a.csv"), column_defaults=[1, "", 0.5])
    text(j("csv", "b.csv"), "1;2\n\n3;4\n")
    case("CSVDataset", dataset_files=j("csv", "b.csv"), column_names=["p", "q"], field_delim=";")
    case("CSVDataset", dataset_files=j("csv", "b.csv"), column_names=["p"], field_delim=";")
    rows = {
        "AFQMC": {"sentence1": "é1", "sentence2": "s2", "label": "0", "id": 7},
        "TNEWS": {"label": "1", "label_desc": "d", "sentence": "s", "keywords": "k", "id": 3},
        "IFLYTEK": {"label": "1", "label_des": "d", "sentence": "s", "id": 3},
        "CMNLI": {"sentence1": "a", "sentence2": "b", "label": "neutral", "id": 4},
        "WSC": {
            "target": {
                "span1_index": 1,
                "span2_index": 2,
                "span1_text": "x",
                "span2_text": "y",
            },
            "idx": 5,
            "text": "t",
            "label": "true",
        },
        "CSL": {"id": 1, "abst": "ab", "keyword": ["k1", "key2"], "label": "1"},
    }
    for task, row in rows.items():
        text(
            j("clue", task + ".json"), json.dumps(row, ensure_ascii=False) + "\n" + json.dumps(row)
        )
        for usage in ("train", "test", "eval"):
            case("CLUEDataset", dataset_files=j("clue", task + ".json"), task=task, usage=usage)
    tables = {
        "AGNewsDataset": 3,
        "AmazonReviewDataset": 3,
        "DBpediaDataset": 3,
        "SogouNewsDataset": 3,
        "YahooAnswersDataset": 4,
        "YelpReviewDataset": 2,
    }
    for name, n in tables.items():
        for part, k in (("train", 2), ("test", 1)):
            line = lambda i: ",".join(f'"{part} {i}, {c} ""q"""' for c in range(n))
            text(j(name, part + ".csv"), "".join(line(i) + "\n" for i in range(k)))
        for usage in (None, "train", "test", "all"):
            case(name, dataset_dir=j(name), usage=usage)
    for part in ("train", "test", "valid"):
        body = f" {part} one <unk> \n\n two {part} \n"
        text(j("ptb", f"ptb.{part}.txt"), body)
        text(j("wiki", f"wiki.{part}.tokens"), " \n = T = \n" + body)
        lines = "".join(f"{w} T{i} B-{part}\n" for i, w in enumerate(("He", "is")))
        text(j("conll", part + ".txt"), lines + "\n" + lines[:10] + "\n\n")
        end = "dev" if part == "valid" else part
        text(
            j("udpos", f"en-ud-tag.v2.{end}.txt"),
            "Al\tPROPN\tNNP\nran\tVERB\tVBD\n\nHi\tINTJ\tUH\n\n",
        )
    text(j("enwik", "enwik9"), "<a>\n\n  <b>é</b>\n")
    case("EnWik9Dataset", dataset_dir=j("enwik"))
    for usage in (None, "train", "test", "valid", "all"):
        case("PennTreebankDataset", dataset_dir=j("ptb"), usage=usage)
        case("WikiTextDataset", dataset_dir=j("wiki"), usage=usage)
        case("UDPOSDataset", dataset_dir=j("udpos"), usage=usage)
    for usage in (None, "train", "test"):
        case("CoNLL2000Dataset", dataset_dir=j("conll"), usage=usage)
    for part in ("train", "test"):
        for name in ("pos", "neg"):
            for i in range(2):
                text(j("imdb", part, name, f"{i}_9.txt"), f"{part} {name} {i}é")
        case("IMDBDataset", dataset_dir=j("imdb"), usage=part)
    case("IMDBDataset", dataset_dir=j("imdb"))
    for part in ("train", "dev"):
        text(j("sst2", part + ".tsv"), f"sentence\tlabel\ngood {part} \t1\nbad\t0\n")
    text(j("sst2", "test.tsv"), "index\tsentence\n0\tno label\n1\tnor here\n")
    for usage in (None, "train", "dev", "test"):
        case("SST2Dataset", dataset_dir=j("sst2"), usage=usage)
    answers = [{"text": "a1", "answer_start": 3}, {"text": "bb2", "answer_start": 9}]
    for part, found in (("train", answers[:1]), ("dev", answers)):
        qas = [{"question": "q?", "id": "x", "answers": found}]
        qas.append({"question": "none?", "id": "y", "answers": []})
        data = [{"title": "t", "paragraphs": [{"context": "some é " + part, "qas": qas}]}]
        text(j("squad", part + "-v1.1.json"), json.dumps({"data": data, "version": "1.1"}))
    for usage in (None, "train", "dev", "all"):
        case("SQuADDataset", dataset_dir=j("squad"), usage=usage)
    pixels = " ".join(f"{i + 1}:{(i % 9) / 4 - 1:.3f}" for i in range(256))
    text(j("usps", "usps"), f"1 {pixels} \n10 {pixels} \n")
    text(j("usps", "usps.t"), f"6 {pixels} \n")
    for usage in (None, "train", "test", "all"):
        case("USPSDataset", dataset_dir=j("usps"), usage=usage)
    for lang in ("en", "de"):
        for place in (
            "training/train",
            "validation/val",
            "mmt16_task1_test/test",
            "mmt16_task1_test/val",
        ):
            text(j("multi", place + "." + lang), f"{place} {lang} 1\n{lang} 2 \n")
    for usage in (None, "train", "test", "valid", "all"):
        case("Multi30kDataset", dataset_dir=j("multi"), usage=usage)
    case("Multi30kDataset", dataset_dir=j("multi"), usage="train", language_pair=["de", "en"])
    iwslt(r, case)


def iwslt(r, case):
    """Write the folders of the two IWSLT."""
    j = lambda *p: os.path.join(r, *p)
    folders = {
        16: j("iwslt16", "texts", "de", "en", "de-en"),
        17: j("iwslt17", "texts", "DeEnItNlRo", "DeEnItNlRo", "DeEnItNlRo-DeEnItNlRo"),
    }
    for year, folder in folders.items():
        for lang in ("de", "en"):
            text(
                os.path.join(folder, f"train.tags.de-en.{lang}"),
                f"<url>u</url>\n<title>T</title>\n {lang} one \n{lang} two\n<reviewer></reviewer>\n",
            )
            for s in ("tst2013", "tst2014", "dev2010", "tst2010"):
                text(
                    os.path.join(folder, f"IWSLT{year}.TED.{s}.de-en.{lang}.xml"),
                    f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<refset>\n<doc>\n<seg id="1"> '
                    f'{lang} {s} </seg>\n<seg id="2"> second </seg>\n</doc>\n</refset>\n</mteval>\n',
                )
    for usage in (None, "train", "test", "valid"):
        case(
            "IWSLT2016Dataset",
            dataset_dir=j("iwslt16"),
            usage=usage,
            language_pair=["de", "en"],
        )
        case(
            "IWSLT2017Dataset",
            dataset_dir=j("iwslt17"),
            usage=usage,
            language_pair=["de", "en"],
        )


def sphere(path, seed, n=40, rate=8):
    """A SPHERE file."""
    fields = f"sample_rate -i {rate}\nchannel_count -i 1\nsample_n_bytes -i 2\n"
    fields += f"sample_count -i {n}\nsample_byte_format -s2 01\nsample_coding -s3 pcm\nend_head\n"
    head = ("NIST_1A\n   1024\n" + fields).ljust(1024).encode()
    raw(path, head + R(seed).randint(-32768, 32767, n).astype("<i2").tobytes())


def sounds(r, case):
    """Write the folders of sounds below ``r``."""
    j = lambda *p: os.path.join(r, *p)
    for voice in ("aew", "ahw"):
        folder = j("arctic", f"cmu_us_{voice}_arctic")
        lines = ""
        for i in (1, 2):
            wav(os.path.join(folder, "wav", f"arctic_a000{i}.wav"), i, rate=16000)
            lines += f'( arctic_a000{i} "Some text, {voice} {i}." )\n'
        text(os.path.join(folder, "etc", "txt.done.data"), lines)
    case("CMUArcticDataset", dataset_dir=j("arctic"))
    case("CMUArcticDataset", dataset_dir=j("arctic"), name="ahw")
    for name in ("blues", "jazz"):
        for i in (0, 1):
            wav(j("gtzan", name, f"{name}.0000{i}.wav"), i, rate=22050)
    case("GTZANDataset", dataset_dir=j("gtzan"))
    case("GTZANDataset", dataset_dir=j("gtzan"), usage="all")
    for part in ("dev-clean", "train-clean-100"):
        names = ["116_288045_000003_000000", "116_288045_000004_000001"]
        lines = "".join(f"{n}\tGood {part} {i}\tgood {i}\n" for i, n in enumerate(names))
        for i, n in enumerate(names):
            wav(j("libri", part, "116", "288045", n + ".wav"), i, rate=24000)
        text(j("libri", part, "116", "288045", "116_288045.trans.tsv"), lines)
    for usage in (None, "all", "dev-clean", "train-clean-100"):
        case("LibriTTSDataset", dataset_dir=j("libri"), usage=usage)
    text(j("lj", "metadata.csv"), "LJ001-0001|One 1|One one\nLJ001-0002|Two|two\n")
    for i in (1, 2):
        wav(j("lj", "wavs", f"LJ001-000{i}.wav"), i, rate=22050)
    case("LJSpeechDataset", dataset_dir=j("lj"))
    for word in ("cat", "dog"):
        for i in range(3):
            wav(j("commands", word, f"b433ef{i}_nohash_{i}.wav"), i, rate=16000)
    text(j("commands", "testing_list.txt"), "cat/b433ef0_nohash_0.wav\n")
    text(j("commands", "validation_list.txt"), "dog/b433ef1_nohash_1.wav\n")
    for usage in (None, "train", "test", "valid", "all"):
        case("SpeechCommandsDataset", dataset_dir=j("commands"), usage=usage)
    for i, name in enumerate(("0_0_1_1_0_1_0_1", "1_0_1_0_1_0_1_1")):
        wav(j("yesno", name + ".wav"), i)
    case("YesNoDataset", dataset_dir=j("yesno"))
    for release in (1, 2):
        for part in ("train", "test", "dev"):
            sphere(j(f"ted{release}", part, "sph", "Al_2009.sph"), release)
            text(
                j(f"ted{release}", part, "stm", "Al_2009.stm"),
                f"Al_2009 1 Al 0.25 1.5 <o,f0,male> {part} one text\n"
                "Al_2009 1 Bo 2.00 4.75 <o,f0,male> a(2) b </s>\n",
            )
        for usage in (None, "train", "test", "dev"):
            case(
                "TedliumDataset",
                dataset_dir=j(f"ted{release}"),
                release=f"release{release}",
                usage=usage,
            )
    sphere(j("ted3", "data", "sph", "Al_2009.sph"), 3)
    text(j("ted3", "data", "stm", "Al_2009.stm"), "Al_2009 1 Al 0.25 1.5 <NA> one text\n")
    case("TedliumDataset", dataset_dir=j("ted3"), release="release3")


FAMILIES = {"images": images, "texts": texts, "sounds": sounds}


def described(v):
    """A value as JSON: dtype, shape, and elements, or a sum where there are many."""
    text = v.dtype.kind in "US"
    kind = v.dtype.kind if text else str(v.dtype)
    if v.dtype.kind == "S":
        return [kind, list(v.shape), [w.decode("latin1") for w in v.reshape(-1)]]
    if text or v.size < 80:
        return [kind, list(v.shape), v.tolist()]
    total = int(np.frombuffer(v.tobytes(), np.uint8).astype(np.int64).sum())
    return [kind, list(v.shape), total * 31 + v.size]


def rows_of(ds, name, arguments):
    """The number of rows of a dataset, and its rows."""
    data = getattr(ds, name)(shuffle=False, **arguments)
    rows = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    return [data.get_dataset_size(), [{c: described(v) for c, v in r.items()} for r in rows]]


def cases(family, folder):
    """(class, arguments) of each case; writes the folders."""
    made = []
    FAMILIES[family](folder, lambda name, /, **arguments: made.append((name, arguments)))
    return made


def record(family, folder, path):
    import mindspore.dataset as ds

    found = []
    for name, arguments in cases(family, folder):
        try:
            rows = rows_of(ds, name, arguments)
        except Exception:
            rows = None
        found.append([name, {k: _relative(v, folder) for k, v in arguments.items()}, rows])
    with open(path, "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(row) for row in found) + "\n]\n")


def _relative(v, folder):
    if isinstance(v, list):
        return [_relative(e, folder) for e in v]
    return v.replace(folder, "") if isinstance(v, str) else v


if __name__ == "__main__":
    record(*sys.argv[1:])
